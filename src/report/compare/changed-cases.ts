import { countRows, filteredRows, type Rows, rowsWhile } from '../../shared/rows.ts';
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

/** The cases that did not end as before: the most important first, and among those the largest change. */
export function changedCases(pairs: Rows<CasePair>): Rows<ChangedCase> {
  const isBeyondChance = changesBeyondChance(pairs);
  const ranks = new Uint8Array(pairs.length);
  const sizes = new Float64Array(pairs.length);
  const places = new Int32Array(pairs.length);
  let [count, index] = [0, 0];
  for (const pair of pairs) {
    const change = changeOf(pair);
    if (change) {
      ranks[index] = order.indexOf(change) + (isBeyondChance(index) ? 0 : order.length);
      sizes[index] = sizeOf(pair);
      places[count++] = index;
    }
    index++;
  }
  const rankOf = (place: number): number => ranks[place] ?? 0;
  // Sorting is stable, so cases that changed alike stay in the order of their names.
  const sorted = places
    .slice(0, count)
    .sort((one, other) => rankOf(one) - rankOf(other) || (sizes[other] ?? 0) - (sizes[one] ?? 0));
  return new ChangedRows(pairs, sorted, ranks);
}

/** Changed cases as places of their pairs. */
class ChangedRows implements Rows<ChangedCase> {
  readonly #pairs: Rows<CasePair>;
  readonly #places: Int32Array;
  /** By place: the place of the change in `order`, and beyond it where chance explains the change. */
  readonly #ranks: Uint8Array;

  constructor(pairs: Rows<CasePair>, places: Int32Array, ranks: Uint8Array) {
    this.#pairs = pairs;
    this.#places = places;
    this.#ranks = ranks;
  }

  get length(): number {
    return this.#places.length;
  }

  at(index: number): ChangedCase | undefined {
    const place = this.#places[index];
    if (place === undefined) return undefined;
    const rank = this.#ranks[place] ?? 0;
    const change = order[rank % order.length] as ChangedCase['change'];
    return changedCase(this.#pairs.at(place) as CasePair, change, rank < order.length);
  }

  *[Symbol.iterator](): Generator<ChangedCase, void> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as ChangedCase;
  }

  toJSON(): ChangedCase[] {
    return [...this];
  }
}

/** Whether chance does not explain the drop, or gain, of the pair at a place. */
function changesBeyondChance(pairs: Rows<CasePair>): (index: number) => boolean {
  const [drops, gains] = [certainDrops(pairs), certainDrops(pairs, 'gain')];
  return (index) => drops.at(index)?.isBroken === true || gains.at(index)?.isBroken === true;
}

/** Those that chance does not explain, which come first. */
export function beyondChance(changed: Rows<ChangedCase>): Rows<ChangedCase> {
  return rowsWhile(changed, ({ isBeyondChance }) => isBeyondChance);
}

/** Cases that broke, or were fixed, beyond chance. */
export function casesBeyondChance(changed: Rows<ChangedCase>, direction: 'broke' | 'fixed'): Rows<ChangedCase> {
  const sign = direction === 'broke' ? -1 : 1;
  return filteredRows(
    beyondChance(changed),
    ({ passedA, triedA, passedB, triedB }) => sign * (passedB * triedA - passedA * triedB) > 0,
  );
}

/** No more than `most` of them in their order; those that one side lacks give way to those that both sides have. */
export function firstCases(changed: Rows<ChangedCase>, most: number): readonly ChangedCase[] {
  const isOnBoth = ({ change }: ChangedCase): boolean => change !== 'only-in-a' && change !== 'only-in-b';
  const onBoth = Math.min(most, countRows(changed, isOnBoth));
  const room = { true: onBoth, false: most - onBoth };
  const first: ChangedCase[] = [];
  for (const one of changed) {
    if (first.length >= most) break;
    if (room[`${isOnBoth(one)}`]-- > 0) first.push(one);
  }
  return first;
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

function sizeOf({ a, b }: CasePair): number {
  return Math.abs(shareOf(b) - shareOf(a));
}

function shareOf(one: CollectedCase | undefined): number {
  return one ? one.passed / Math.max(1, one.passed + one.failed) : 0;
}
