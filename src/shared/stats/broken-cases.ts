import { logBinomial } from './sign-test.ts';

/** How the judged trials of a case ended. */
export interface CaseTally {
  readonly passed: number;
  readonly failed: number;
}

/** The same case before and now. */
export interface TallyPair {
  readonly before: CaseTally;
  readonly now: CaseTally;
}

/** How often, at most, any case may be called broken when nothing has changed. */
const level = 0.05;

/** Sums of chances that differ by less are the same. */
const rounding = 1e-12;

/**
 * The chance that so many of the failures, or more, fall on the trials of now if a case has not changed: Fisher's exact
 * test, one-sided.
 */
export function chanceOfDrop({ before, now }: TallyPair): number {
  const [triedBefore, triedNow] = [before.passed + before.failed, now.passed + now.failed];
  const failures = before.failed + now.failed;
  const first = Math.max(now.failed, failures - triedBefore);
  let term = Math.exp(
    logBinomial(triedNow, first) +
      logBinomial(triedBefore, failures - first) -
      logBinomial(triedBefore + triedNow, failures),
  );
  let chance = 0;
  for (let failed = first; failed <= Math.min(triedNow, failures); failed++) {
    chance += term;
    term *= ((triedNow - failed) / (failed + 1)) * ((failures - failed) / (triedBefore - failures + failed + 1));
  }
  return Math.min(1, chance);
}

/** Whether there are enough trials on both sides that a case that breaks completely can be distinguished from a flaky one. */
export function canTellBroken({ before, now }: TallyPair): boolean {
  const [triedBefore, triedNow] = [before.passed + before.failed, now.passed + now.failed];
  return chanceOfDrop(complete(triedBefore, triedNow, triedNow)) <= level + rounding;
}

/**
 * Which cases pass less often than chance explains. Among many cases some drop by chance, so the false discovery rate is
 * controlled (Benjamini and Hochberg): if nothing has changed, any case is called broken in at most 5 % of runs. Cases
 * whose failures are too few for any answer do not count among the tests (Gilbert), because that is known before it is
 * seen on which side the failures are.
 */
export function brokenCases(pairs: readonly TallyPair[]): boolean[] {
  const chances = pairs.map((pair) => (isTestable(pair) ? chanceOfDrop(pair) : undefined));
  const sorted = chances.filter((chance) => chance !== undefined).sort((a, b) => a - b);
  const largest = sorted.findLast((chance, index) => chance <= (level * (index + 1)) / sorted.length + rounding);
  return chances.map((chance) => chance !== undefined && largest !== undefined && chance <= largest + rounding);
}

function isTestable({ before, now }: TallyPair): boolean {
  const [triedBefore, triedNow] = [before.passed + before.failed, now.passed + now.failed];
  const failures = before.failed + now.failed;
  return triedBefore > 0 && triedNow > 0 && chanceOfDrop(complete(triedBefore, triedNow, failures)) <= level + rounding;
}

/** As many of the failures as possible are in the trials of now. */
function complete(triedBefore: number, triedNow: number, failures: number): TallyPair {
  const failedNow = Math.min(triedNow, failures);
  const failedBefore = failures - failedNow;
  return {
    before: { passed: triedBefore - failedBefore, failed: failedBefore },
    now: { passed: triedNow - failedNow, failed: failedNow },
  };
}
