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
export function failingCases(pairs: readonly CasePair[]): FailingCase[] {
  const drops = certainDrops(pairs);
  return pairs.filter(isJudgedTwice).flatMap((pair): FailingCase[] => {
    const { scenario, caseId, variant, a, b } = pair;
    const drop = drops.get(pair);
    if (!drop || b.failed === 0) return [];
    const tally = { before: tallyOf(a), now: tallyOf(b) };
    const trial = b.failure ? { trialId: b.failure.trialId } : {};
    return [{ scenario, caseId, variant, kind: kindOf(tally, drop), ...tally, chance: drop.chance, ...trial }];
  });
}

/** A case is flaky only if it was flaky before. */
function kindOf(tally: TallyPair, { isBroken }: CaseDrop): FailureKind {
  if (isBroken) return 'broken';
  const { before, now } = tally;
  if (before.passed === 0 || !canTellBroken(tally)) return 'failing';
  if (before.failed > 0) return now.passed > 0 ? 'flaky' : 'failing';
  return 'unclear';
}

interface TalliedPair extends TallyPair {
  readonly pair: CasePair;
}

/**
 * The drops of cases that were judged on both sides, or their gains: a gain is a drop with the sides swapped. One is
 * broken only if it is whatever the lost trials were.
 */
export function certainDrops(
  pairs: readonly CasePair[],
  direction: 'drop' | 'gain' = 'drop',
): ReadonlyMap<CasePair, CaseDrop> {
  const cases = pairs.flatMap((pair) =>
    direction === 'drop' ? bothSides(pair, pair.a, pair.b) : bothSides(pair, pair.b, pair.a),
  );
  const observed = dropsIn(cases);
  if (cases.every(({ before, now }) => before.unjudged + now.unjudged === 0)) return observed;
  const filled = fillingsOf(cases.map(withLosses)).fillings.map((filling) =>
    dropsIn(filling.map(({ pair, a, b }) => ({ pair, before: countsOf(a), now: countsOf(b) }))),
  );
  const isCertain = (pair: CasePair): boolean => filled.every((drops) => drops.get(pair)?.isBroken === true);
  return new Map([...observed].map(([pair, drop]) => [pair, { ...drop, isBroken: drop.isBroken && isCertain(pair) }]));
}

interface SidesOfPair {
  readonly pair: CasePair;
  readonly before: CollectedCase;
  readonly now: CollectedCase;
}

function bothSides(
  pair: CasePair,
  before: CollectedCase | undefined,
  now: CollectedCase | undefined,
): readonly SidesOfPair[] {
  return before && now ? [{ pair, before, now }] : [];
}

function dropsIn(tallied: readonly TalliedPair[]): ReadonlyMap<CasePair, CaseDrop> {
  const judged = tallied.filter(({ before, now }) => triedIn(before) > 0 && triedIn(now) > 0);
  const drops = caseDrops(judged);
  return new Map(judged.map(({ pair }, index) => [pair, drops[index] as CaseDrop]));
}

function withLosses({ pair, before, now }: SidesOfPair): CaseWithLosses & { readonly pair: CasePair } {
  return { pair, a: endingsOf(before), b: endingsOf(now), lost: { a: before.unjudged, b: now.unjudged } };
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

function isJudgedTwice(pair: CasePair): pair is BothSides {
  return isJudged(pair.a) && isJudged(pair.b);
}

/** `passed 5 of 5 before, 3 of 5 now`. */
export function talliesText({ before, now }: Pick<FailingCase, 'before' | 'now'>): string {
  return `passed ${tallyText(before)} before, ${tallyText(now)} now`;
}

function tallyText({ passed, failed }: CaseTally): string {
  return `${passed} of ${passed + failed}`;
}

function isJudged(one: CollectedCase | undefined): boolean {
  return one !== undefined && one.passed + one.failed > 0;
}

function tallyOf({ passed, failed }: CollectedCase): CaseTally {
  return { passed, failed };
}
