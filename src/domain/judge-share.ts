import { grouped, unknownFigure } from '../shared/format.ts';
import { addCascade, type CascadeShare, cascadeText } from './cascade-share.ts';
import { addCost, type CostSum, costSumText, noCost } from './cost-sum.ts';
import type { TrialRecord } from './record.ts';
import type { RunEvent } from './run.ts';
import { addTokens, noTokens, type TokenSum, tokenSumText } from './token-sum.ts';

/** Spending of the judges of a run: a part of its cost and of its tokens. */
export interface JudgeShare {
  /** Trials for which a judge was prompted. */
  readonly trials: number;
  readonly cost: CostSum;
  readonly tokens: TokenSum;
  /** Absent where no cheap model judges first. */
  readonly cascade?: CascadeShare | undefined;
}

const nothing: JudgeShare = { trials: 0, cost: noCost, tokens: noTokens };

type JudgedTrial = Pick<TrialRecord, 'costs' | 'costUsd' | 'judgeUsage'> & Partial<Pick<TrialRecord, 'judge'>>;

/** A share with one more trial; the same where no judge was prompted for it. */
export function addJudge(
  share: JudgeShare = nothing,
  { costs, costUsd, judgeUsage, judge = null }: JudgedTrial,
): JudgeShare {
  if (!judgeUsage) return share;
  const { trials, cost, tokens } = share;
  const cascade = addCascade(share.cascade, judge);
  return {
    trials: trials + 1,
    // A trial without any cost is stored without its parts.
    cost: addCost(cost, costs ? costs.judgeUsd : costUsd === 0 ? 0 : null),
    tokens: addTokens(tokens, judgeUsage),
    ...(cascade && { cascade }),
  };
}

/** Adds up the share while a run goes on, for the process that runs it: its reports need not read all records again. */
export class JudgeTally {
  #share: JudgeShare = nothing;
  #isWhole = true;

  note(event: RunEvent): void {
    if (event.type === 'trial-finished') this.#share = addJudge(this.#share, event.record);
    // Of trials that were stored before, or are replaced, the records know more.
    if (event.type === 'trials-requeued' || (event.type === 'run-started' && event.alreadyStored > 0))
      this.#isWhole = false;
  }

  /** Null where no judge was prompted; undefined where only the records know. */
  get share(): JudgeShare | null | undefined {
    if (!this.#isWhole) return undefined;
    return this.#share.trials === 0 ? null : this.#share;
  }
}

/** `judge: $0.0021, 2,130 in, 90 out for 3 trials`. */
export function judgeShareText({ trials, cost, tokens, cascade }: JudgeShare): string {
  const many = trials === 1 ? '1 trial' : `${grouped(trials)} trials`;
  const inTurn = cascade ? `; ${cascadeText(cascade)}` : '';
  const spent = tokenSumText(tokens);
  return `${costSumText(cost)}${spent === unknownFigure ? '' : `, ${spent}`} for ${many}${inTurn}`;
}
