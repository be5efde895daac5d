import { grouped } from '../shared/format.ts';
import { addCost, type CostSum, costSumText, noCost } from './cost-sum.ts';
import type { TrialRecord } from './record.ts';
import { addTokens, noTokens, type TokenSum, tokenSumText } from './token-sum.ts';

/** Spending of the judges of a run: a part of its cost and of its tokens. */
export interface JudgeShare {
  /** Trials for which a judge was prompted. */
  readonly trials: number;
  readonly cost: CostSum;
  readonly tokens: TokenSum;
}

const nothing: JudgeShare = { trials: 0, cost: noCost, tokens: noTokens };

/** A share with one more trial; the same where no judge was prompted for it. */
export function addJudge(
  share: JudgeShare = nothing,
  { costs, costUsd, judgeUsage }: Pick<TrialRecord, 'costs' | 'costUsd' | 'judgeUsage'>,
): JudgeShare {
  if (!judgeUsage) return share;
  const { trials, cost, tokens } = share;
  return {
    trials: trials + 1,
    // A trial without any cost is stored without its parts.
    cost: addCost(cost, costs ? costs.judgeUsd : costUsd === 0 ? 0 : null),
    tokens: addTokens(tokens, judgeUsage),
  };
}

/** `judge: $0.0021, 2,130 in, 90 out for 3 trials`. */
export function judgeShareText({ trials, cost, tokens }: JudgeShare, textOf?: (usd: number) => string): string {
  const many = trials === 1 ? '1 trial' : `${grouped(trials)} trials`;
  return `${costSumText(cost, textOf)}, ${tokenSumText(tokens)} for ${many}`;
}
