import { costText, grouped } from '../shared/format.ts';
import { wilson } from '../shared/stats/pass-rate.ts';
import { addCost, type CostSum, noCost, wholeCost } from './cost-sum.ts';
import type { JudgeResult } from './judge-result.ts';

/** Verdicts of a run whose judge has a cheap model before its panel. */
export interface CascadeShare {
  /** By the first model alone. */
  readonly settled: number;
  /** By the panel, because the first model was unsure. */
  readonly escalated: number;
  /** By the panel although the first model was sure, to compare the two; how many of them agree. */
  readonly checked: number;
  readonly agreed: number;
  readonly cost: CostSum;
  /** Of the panel alone, for the verdicts that it gave. */
  readonly panelCost: CostSum;
}

const none: CascadeShare = { settled: 0, escalated: 0, checked: 0, agreed: 0, cost: noCost, panelCost: noCost };

/** A share with one more verdict; the same for a verdict without a cascade. */
export function addCascade(share: CascadeShare | undefined, result: JudgeResult | null): CascadeShare | undefined {
  if (!result?.cascade) return share;
  const { cascade, costUsd, state, panel: [first] = [] } = result;
  const before = share ?? none;
  const sums = { ...before, cost: addCost(before.cost, costUsd), [cascade]: before[cascade] + 1 };
  if (cascade === 'settled') return sums;
  const ofFirst = first?.costUsd ?? null;
  return {
    ...sums,
    agreed: before.agreed + (cascade === 'checked' && first?.state === state ? 1 : 0),
    panelCost: addCost(before.panelCost, costUsd === null || ofFirst === null ? null : costUsd - ofFirst),
  };
}

/** Cost without the first model, less the cost with it; undefined where one of them is not known. */
function savedUsd({ settled, escalated, checked, cost, panelCost }: CascadeShare): number | undefined {
  const [spent, ofPanel] = [wholeCost(cost), wholeCost(panelCost)];
  const judged = escalated + checked;
  if (spent === null || ofPanel === null || judged === 0) return undefined;
  return (ofPanel / judged) * (settled + judged) - spent;
}

/** `46 of 50 by the first model alone; 5 of 5 checked verdicts agree (57 % to 100 %); about $0.0210 saved`. */
export function cascadeText(share: CascadeShare): string {
  const { settled, escalated, checked, agreed } = share;
  const saved = savedUsd(share);
  return [
    `${grouped(settled)} of ${grouped(settled + escalated + checked)} verdicts by the first model alone`,
    checked === 0 ? 'none of its sure ones was checked' : agreementText(agreed, checked),
    ...(saved === undefined
      ? []
      : [saved >= 0 ? `about ${costText(saved)} saved` : `${costText(-saved)} more than without it`]),
  ].join('; ');
}

function agreementText(agreed: number, checked: number): string {
  const { low, high } = wilson(agreed, checked);
  const [from, to] = [low, high].map((share) => Math.round(share * 100));
  return `${grouped(agreed)} of ${grouped(checked)} checked ones agree with the panel (${from} % to ${to} %)`;
}
