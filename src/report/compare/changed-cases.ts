import type { Rows } from '../../shared/rows.ts';
import type { CasePair, CollectedCase } from './collected-side.ts';
import type { ChangedCase, ComparedCase } from './comparison.ts';
import { certainDrops } from './failing-cases.ts';

/** Cases that need attention come first, then improvements. */
const order: readonly ChangedCase['change'][] = [
  'broke',
  'less-often',
  'unjudged',
  'only-in-a',
  'fixed',
  'more-often',
  'only-in-b',
];

/** Counts what is kept in memory, and throws before it is too much. */
export interface MemoryRoom {
  add(): void;
}

/** The cases that did not end as before: the most important first, and among those the largest change. */
export function changedCases(pairs: Rows<CasePair>, room?: MemoryRoom): ChangedCase[] {
  const isBeyondChance = changesBeyondChance(pairs);
  const changed: ChangedCase[] = [];
  let index = 0;
  for (const pair of pairs) {
    const change = changeOf(pair);
    if (change) {
      changed.push(changedCase(pair, change, isBeyondChance(index)));
      room?.add();
    }
    index++;
  }
  // Sorting is stable, so cases that changed alike stay in the order of their names.
  return changed.sort(
    (first, second) =>
      Number(second.isBeyondChance) - Number(first.isBeyondChance) ||
      order.indexOf(first.change) - order.indexOf(second.change) ||
      sizeOf(second) - sizeOf(first),
  );
}

/** Whether chance does not explain the drop, or gain, of the pair at a place. */
function changesBeyondChance(pairs: Rows<CasePair>): (index: number) => boolean {
  const [drops, gains] = [certainDrops(pairs), certainDrops(pairs, 'gain')];
  return (index) => drops.at(index)?.isBroken === true || gains.at(index)?.isBroken === true;
}

/** Cases that broke, or were fixed, beyond chance. */
export function casesBeyondChance(
  changed: readonly ChangedCase[],
  direction: 'broke' | 'fixed',
): readonly ChangedCase[] {
  const sign = direction === 'broke' ? -1 : 1;
  return changed.filter(
    (one) => one.isBeyondChance && sign * (one.passedB * one.triedA - one.passedA * one.triedB) > 0,
  );
}

/** No more than `most` of them in their order; those that one side lacks give way to those that both sides have. */
export function firstCases(changed: readonly ChangedCase[], most: number): readonly ChangedCase[] {
  if (changed.length <= most) return changed;
  const isOnBoth = ({ change }: ChangedCase): boolean => change !== 'only-in-a' && change !== 'only-in-b';
  const kept = new Set([...changed.filter(isOnBoth), ...changed.filter((one) => !isOnBoth(one))].slice(0, most));
  return changed.filter((one) => kept.has(one));
}

function changeOf({ a, b }: CasePair): ChangedCase['change'] | undefined {
  if (!b) return 'only-in-a';
  if (!a) return 'only-in-b';
  const [triedA, triedB] = [a.passed + a.failed, b.passed + b.failed];
  if (triedA === 0 || triedB === 0) {
    const emptied = triedA === 0 ? a : b;
    return triedA !== triedB && emptied.unjudged > 0 ? 'unjudged' : undefined;
  }
  const difference = b.passed * triedA - a.passed * triedB;
  if (difference === 0) return undefined;
  if (difference < 0) return a.failed === 0 && b.passed === 0 ? 'broke' : 'less-often';
  return a.passed === 0 && b.failed === 0 ? 'fixed' : 'more-often';
}

/** The cases that ended as before, in the order of their names; no more than `most` of them, and how many there are. */
export function unchangedCases(pairs: Rows<CasePair>, most: number): { cases: ComparedCase[]; count: number } {
  const cases: ComparedCase[] = [];
  let count = 0;
  for (const pair of pairs) {
    if (changeOf(pair) !== undefined) continue;
    if (count++ < most) cases.push(comparedCase(pair, [pair.a?.failure, pair.b?.failure]));
  }
  return { cases, count };
}

/** Without a spread, which makes objects of four times the size. */
function changedCase(pair: CasePair, change: ChangedCase['change'], isBeyondChance: boolean): ChangedCase {
  const { a, b } = pair;
  const isLoss = change === 'broke' || change === 'less-often';
  const compared = comparedCase(pair, isLoss ? [a?.success, b?.failure] : [a?.failure, b?.success]);
  return {
    scenario: compared.scenario,
    caseId: compared.caseId,
    variant: compared.variant,
    passedA: compared.passedA,
    triedA: compared.triedA,
    passedB: compared.passedB,
    triedB: compared.triedB,
    reason: reasonOf(change, a, b),
    trialA: compared.trialA,
    trialB: compared.trialB,
    change,
    broken: isLoss ? brokenChecks(a, b) : nothingBroken,
    isBeyondChance,
  };
}

const nothingBroken: readonly string[] = [];

type Example = CollectedCase['success'] | undefined;

function comparedCase({ scenario, caseId, variant, a, b }: CasePair, [exampleA, exampleB]: readonly Example[]) {
  return {
    scenario,
    caseId,
    variant,
    passedA: a?.passed ?? 0,
    triedA: a ? a.passed + a.failed : 0,
    passedB: b?.passed ?? 0,
    triedB: b ? b.passed + b.failed : 0,
    reason: reasonOf(undefined, a, b),
    trialA: (exampleA ?? anyTrial(a))?.trialId,
    trialB: (exampleB ?? anyTrial(b))?.trialId,
  };
}

function reasonOf(
  change: ChangedCase['change'] | undefined,
  a: CollectedCase | undefined,
  b: CollectedCase | undefined,
): string {
  const unjudged = change === 'unjudged' ? (b?.unjudgedTrial ?? a?.unjudgedTrial) : undefined;
  const example = unjudged ?? b?.failure ?? b?.unjudgedTrial ?? a?.failure ?? a?.unjudgedTrial;
  return example?.reason ?? '';
}

function anyTrial(one: CollectedCase | undefined): CollectedCase['success'] | undefined {
  return one?.unjudgedTrial ?? one?.failure ?? one?.success;
}

/** Checks that held in every earlier trial and fail now, most frequent failures first. */
function brokenChecks(a: CollectedCase | undefined, b: CollectedCase | undefined): string[] {
  const failing = [...(b?.checks ?? [])].filter(([name, { failed }]) => {
    const before = a?.checks.get(name);
    return failed > 0 && before !== undefined && before.failed === 0 && before.passed > 0;
  });
  return failing.sort(([, first], [, second]) => second.failed - first.failed).map(([name]) => name);
}

function sizeOf({ passedA, triedA, passedB, triedB }: ChangedCase): number {
  return Math.abs(passedB / Math.max(1, triedB) - passedA / Math.max(1, triedA));
}
