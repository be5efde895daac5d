import { brokenCases, type CaseTally, canTellBroken, chanceOfDrop } from '../../shared/stats/broken-cases.ts';
import type { CasePair, CollectedCase } from './collected-side.ts';

/** Kind of a case that fails now, by its trials and those of the baseline. */
export type FailureKind = 'broken' | 'flaky' | 'failing';

/** A case of which trials failed now, and that the baseline has too. */
export interface FailingCase {
  readonly scenario: string;
  readonly caseId: string;
  readonly variant: Readonly<Record<string, string>>;
  /**
   * `broken`: it passes less often than chance explains; `flaky`: it passes and fails, as an unchanged case may;
   * `failing`: no trial passed before or now, or there are too few trials to distinguish.
   */
  readonly kind: FailureKind;
  readonly before: CaseTally;
  readonly now: CaseTally;
  /** How likely such a drop is if nothing has changed (Fisher's exact test). */
  readonly chance: number;
  readonly trialId?: string;
}

type BothSides = CasePair & { readonly a: CollectedCase; readonly b: CollectedCase };

/** Distinguishes broken cases from flaky ones, in the order of the pairs. */
export function failingCases(pairs: readonly CasePair[]): FailingCase[] {
  const judged = pairs.filter((pair): pair is BothSides => isJudged(pair.a) && isJudged(pair.b));
  const tallies = judged.map(({ a, b }) => ({ before: tallyOf(a), now: tallyOf(b) }));
  const broken = brokenCases(tallies);
  return judged.flatMap(({ scenario, caseId, variant, b }, index): FailingCase[] => {
    const tally = tallies[index];
    if (!tally || tally.now.failed === 0) return [];
    const isMixed = tally.before.passed > 0 && tally.now.passed > 0;
    const kind = broken[index] ? 'broken' : isMixed && canTellBroken(tally) ? 'flaky' : 'failing';
    const trial = b.failure ? { trialId: b.failure.trialId } : {};
    return [{ scenario, caseId, variant, kind, ...tally, chance: chanceOfDrop(tally), ...trial }];
  });
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
