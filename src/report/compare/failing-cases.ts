import { NumberColumn } from '../../shared/number-column.ts';
import { everyRow, filteredRows, madeRows, mappedRows, type Rows } from '../../shared/rows.ts';
import {
  type CaseDrop,
  type CaseTally,
  canTellBroken,
  caseDrops,
  type TallyPair,
} from '../../shared/stats/broken-cases.ts';
import { type CaseWithLosses, fillingsOf } from '../../shared/stats/lost-shares.ts';
import type { CasePair, CollectedCase } from './collected-side.ts';

/** Kind of a case that fails now, by its trials and those of the baseline. */
export type FailureKind = 'broken' | 'flaky' | 'unclear' | 'failing';

/** A case of which trials failed now, and that the baseline has too. */
export interface FailingCase {
  readonly scenario: string;
  readonly caseId: string;
  readonly variant: Readonly<Record<string, string>>;
  /**
   * `broken`: it passes less often than chance explains; `flaky`: it passes and fails as it did before; `unclear`: it always
   * passed before, and chance may explain that it does not now; `failing`: no trial passed before or now, or there are too
   * few trials to distinguish.
   */
  readonly kind: FailureKind;
  readonly before: CaseTally;
  readonly now: CaseTally;
  /** How many such drops a suite as flaky as this one shows by chance; at most 1. */
  readonly chance: number;
  readonly trialId?: string;
}

type BothSides = CasePair & { readonly a: CollectedCase; readonly b: CollectedCase };

/** Distinguishes broken cases from flaky ones, in the order of the pairs. */
export function failingCases(pairs: Rows<CasePair>): FailingCase[] {
  const drops = certainDrops(pairs);
  const found: FailingCase[] = [];
  let index = 0;
  for (const { scenario, caseId, variant, a, b } of pairs) {
    const drop = drops.at(index++);
    if (!drop || !a || !b || !isJudged(a) || b.failed === 0) continue;
    const tally = { before: tallyOf(a), now: tallyOf(b) };
    const trial = b.failure ? { trialId: b.failure.trialId } : {};
    found.push({ scenario, caseId, variant, kind: kindOf(tally, drop), ...tally, chance: drop.chance, ...trial });
  }
  return found;
}

/** A case is flaky only if it was flaky before. */
function kindOf(tally: TallyPair, { isBroken }: CaseDrop): FailureKind {
  if (isBroken) return 'broken';
  const { before, now } = tally;
  if (before.passed === 0 || !canTellBroken(tally)) return 'failing';
  if (before.failed > 0) return now.passed > 0 ? 'flaky' : 'failing';
  return 'unclear';
}

/**
 * The drops of cases that were judged on both sides, or their gains, by the place of the pair: a gain is a drop with the sides
 * swapped. One is broken only if it is whatever the lost trials were.
 */
export function certainDrops(pairs: Rows<CasePair>, direction: 'drop' | 'gain' = 'drop'): Rows<CaseDrop | undefined> {
  const isDrop = direction === 'drop';
  const both = filteredRows(pairs, ({ a, b }) => a !== undefined && b !== undefined) as Rows<BothSides>;
  const cases = mappedRows(both, ({ a, b }) => (isDrop ? { before: a, now: b } : { before: b, now: a }));
  const observed = dropsIn(cases);
  const isWhole = everyRow(cases, ({ before, now }) => before.unjudged + now.unjudged === 0);
  const filled = isWhole
    ? []
    : fillingsOf(mappedRows(cases, withLosses)).fillings.map((filling) =>
        dropsIn(mappedRows(filling, ({ a, b }) => ({ before: countsOf(a), now: countsOf(b) }))),
      );
  const isCertain = (index: number): boolean => filled.every((drops) => drops.at(index)?.isBroken === true);
  const placeOf = placesAmong(pairs, ({ a, b }) => a !== undefined && b !== undefined);
  return madeRows(pairs.length, (pair) => {
    const index = placeOf(pair);
    const drop = index === undefined ? undefined : observed.at(index);
    return index !== undefined && drop?.isBroken && !isCertain(index) ? { ...drop, isBroken: false } : drop;
  });
}

/** By place; undefined for those that were not tried on both sides. */
function dropsIn(tallied: Rows<TallyPair>): Rows<CaseDrop | undefined> {
  const isTried = ({ before, now }: TallyPair): boolean => triedIn(before) > 0 && triedIn(now) > 0;
  const drops = caseDrops(filteredRows(tallied, isTried));
  const placeOf = placesAmong(tallied, isTried);
  return madeRows(tallied.length, (index) => {
    const place = placeOf(index);
    return place === undefined ? undefined : drops.at(place);
  });
}

/** Where each row is among those that are chosen. */
function placesAmong<Item>(rows: Rows<Item>, isChosen: (item: Item) => boolean): (index: number) => number | undefined {
  const places = new NumberColumn();
  let [index, count] = [0, 0];
  for (const row of rows) {
    if (isChosen(row)) places.set(index, ++count);
    index++;
  }
  if (count === rows.length) return (place) => place;
  return (place) => (places.at(place) === 0 ? undefined : places.at(place) - 1);
}

interface SidesOfPair {
  readonly before: CollectedCase;
  readonly now: CollectedCase;
}

function withLosses({ before, now }: SidesOfPair): CaseWithLosses {
  return { a: endingsOf(before), b: endingsOf(now), lost: { a: before.unjudged, b: now.unjudged } };
}

function endingsOf({ passed, failed }: CollectedCase): number[] {
  return Array.from({ length: passed + failed }, (_, index) => Number(index < passed));
}

function countsOf(endings: readonly number[]): CaseTally {
  const passed = endings.reduce((sum, ending) => sum + ending, 0);
  return { passed, failed: endings.length - passed };
}

function triedIn({ passed, failed }: CaseTally): number {
  return passed + failed;
}

/** `passed 5 of 5 before, 3 of 5 now`. */
export function talliesText({ before, now }: Pick<FailingCase, 'before' | 'now'>): string {
  return `passed ${tallyText(before)} before, ${tallyText(now)} now`;
}

function tallyText({ passed, failed }: CaseTally): string {
  return `${passed} of ${passed + failed}`;
}

function isJudged({ passed, failed }: CollectedCase): boolean {
  return passed + failed > 0;
}

function tallyOf({ passed, failed }: CollectedCase): CaseTally {
  return { passed, failed };
}
