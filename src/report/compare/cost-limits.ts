import { counted, wholePercent } from '../../shared/format.ts';
import { everyRow, filteredRows, type Rows } from '../../shared/rows.ts';
import type { CasePair, CollectedCase, SideRun } from './collected-side.ts';
import { compareFigures } from './compare-figures.ts';
import type { MetricComparison } from './comparison.ts';
import { answerTo, figureText } from './figure-words.ts';

/** A limit for the cost of a scenario or of one of its cases, and the cases that it is about. */
export interface CostLimit {
  readonly scenario: string;
  readonly caseId?: string;
  readonly limit: number;
}

/** Result of a limit. */
export interface CostResult extends CostLimit {
  /** `unclear`: it rose by more, which chance explains; `unknown`: the cost of a side is not known. */
  readonly state: 'kept' | 'exceeded' | 'unclear' | 'unknown' | 'not-in-baseline';
  readonly message: string;
}

/** The limits of the files of a run. */
export function costLimitsOf({ scenarios }: SideRun): CostLimit[] {
  return (scenarios ?? []).flatMap(({ name: scenario, ci }) => [
    ...(ci?.maxCostRise === undefined ? [] : [{ scenario, limit: ci.maxCostRise }]),
    ...Object.entries(ci?.cases ?? {}).flatMap(([caseId, { maxCostRise: limit }]) =>
      limit === undefined ? [] : [{ scenario, caseId, limit }],
    ),
  ]);
}

/** Compares the costs that files limit; the more limits there are, the stronger the evidence each of them needs. */
export function checkCostLimits(limits: readonly CostLimit[], pairs: Rows<CasePair>): CostResult[] {
  const level = 0.05 / Math.max(1, limits.length);
  return limits.flatMap((limit): CostResult[] => {
    const concerned = filteredRows(
      pairs,
      ({ scenario, caseId, b }) =>
        b !== undefined && scenario === limit.scenario && (limit.caseId ?? caseId) === caseId,
    );
    if (concerned.length === 0) return [];
    const both = filteredRows(concerned, ({ a }) => a !== undefined);
    if (both.length === 0)
      return [{ ...limit, state: 'not-in-baseline', message: 'cost not checked: not in the baseline' }];
    if (everyRow(both, isFree)) return [{ ...limit, state: 'kept', message: 'cost: nothing on either side' }];
    const unknown = unknownCost(both);
    if (unknown) return [{ ...limit, state: 'unknown', message: unknown }];
    const [cost] = compareFigures(both, { only: ['cost-usd'], level }, null);
    if (!cost) return [{ ...limit, state: 'unknown', message: 'cost not checked: no case was judged on both sides' }];
    const rise = riseBeyond(cost, limit.limit);
    if (!rise) return [{ ...limit, state: 'kept', message: keptText(cost, limit.limit) }];
    return [{ ...limit, state: rise.isBeyondChance ? 'exceeded' : 'unclear', message: rise.message }];
  });
}

/** Why no limit can be checked: judged trials whose cost is not known. Undefined where every cost is known. */
export function unknownCost(pairs: Rows<CasePair>): string | undefined {
  let [trials, reported] = [0, 0];
  for (const { a, b } of pairs) {
    if (!a || !b) continue;
    trials += a.passed + a.failed + b.passed + b.failed;
    reported += costsOf(a).length + costsOf(b).length;
  }
  if (reported >= trials) return undefined;
  return `cost not checked: it is not known for ${trials - reported} of ${counted(trials, 'trial')} of the run and its baseline`;
}

/** Whether every judged trial of both sides is known to have cost nothing. */
function isFree({ a, b }: CasePair): boolean {
  return [a, b].every(
    (side) =>
      side !== undefined &&
      costsOf(side).length === side.passed + side.failed &&
      costsOf(side).every((cost) => cost === 0),
  );
}

function costsOf({ figures }: CollectedCase): readonly number[] {
  return figures.get('cost-usd') ?? [];
}

/** A mean cost that rose by more than it may; undefined where it did not. */
export function riseBeyond(
  cost: MetricComparison,
  limit: number,
): { readonly message: string; readonly isBeyondChance: boolean } | undefined {
  if (cost.meanB <= cost.meanA * (1 + limit)) return undefined;
  const rise = cost.meanA === 0 ? 'from nothing' : `by ${wholePercent(cost.meanB / cost.meanA - 1)}`;
  const message = `cost rose ${rise}, more than ${wholePercent(limit)}: ${changeText(cost)}`;
  return { message, isBeyondChance: answerTo(cost, 'these-tasks') === 'worse' };
}

function keptText(cost: MetricComparison, limit: number): string {
  return `cost rose by no more than ${wholePercent(limit)}: ${changeText(cost)}`;
}

function changeText({ meanA, meanB }: MetricComparison): string {
  return `${figureText(meanA, 'usd')} → ${figureText(meanB, 'usd')} for each trial`;
}
