import {
  type CaseDrop,
  type CaseTally,
  canTellBroken,
  caseDrops,
  type TallyPair,
} from '../../shared/stats/broken-cases.ts';
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
  const judged = pairs.filter(isJudgedTwice);
  const drops = caseDrops(talliesOf(judged));
  return judged.flatMap(({ scenario, caseId, variant, a, b }, index): FailingCase[] => {
    const drop = drops[index];
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

/** Of cases that were judged on both sides, in the order of the pairs. */
export function talliesOf(pairs: readonly CasePair[]): TallyPair[] {
  return pairs.filter(isJudgedTwice).map(({ a, b }) => ({ before: tallyOf(a), now: tallyOf(b) }));
}

export function isJudgedTwice(pair: CasePair): pair is BothSides {
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
