import { type Flakiness, flakinessOf, type PooledTrials } from './flakiness.ts';
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

/** How rare a drop from always to never must be for a case to be one that can be called broken. */
const level = 0.05;
/**
 * How often an unchanged suite may show so many flips from always to never. Their number is estimated from the suite, and scatters
 * by a sixth: with a limit of 5 % a suite in which it is 4.5 % would be refused in one run of four. At this limit 4.8 % of unchanged
 * suites of 200 cases x 5 have a case that is called broken (`npm run bench:stats -- broken-cases`).
 */
const levelOfFlips = 0.06;
/** Partial drops have many steps, and use up all that they may. */
const levelOfPartialDrops = 0.02;
/** Beyond so many pairs of counts Fisher's chance, which is larger, stands for that in the suite. */
const mostPatterns = 10_000;

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

/** The answer about the drop of one case. */
export interface CaseDrop {
  /** Whether chance does not explain it in a suite that is as flaky as this one. */
  readonly isBroken: boolean;
  /** How many of its cases, on average, drop so far by chance; at most 1. */
  readonly chance: number;
}

/**
 * Which cases pass less often than chance explains. Fisher's test cannot name one case of 200 that went from 5 of 5 to
 * 0 of 5. How flaky a case can be is therefore estimated from the trials of the whole suite. Flips from always to never count
 * where a suite as flaky as this one shows so many of them in at most 6 % of runs: two in 50 cases x 3 are news where each alone
 * is not. Other drops count by Benjamini and Hochberg with the same empirical null.
 */
export function caseDrops(pairs: readonly TallyPair[]): CaseDrop[] {
  const suite = flakinessOf(pairs.map(pooled));
  const chances = pairs.map(chanceOfDrop);
  const sizes = sizesOf(pairs);
  const areFlipsNews = pairs.filter(isTellingFlip).length >= flipAlarm(flipsByChance(suite, sizes)).fewest;
  const dropsByKey = new Map<string, CaseDrop>();
  return pairs.map((pair, index): CaseDrop => {
    const chance = chances[index] ?? 1;
    if (!isDrop(pair)) return { isBroken: false, chance: 1 };
    const key = `${chance} ${isFlip(pair)} ${canTellBroken(pair)}`;
    const existing = dropsByKey.get(key);
    if (existing) return existing;
    const expected = sizes.reduce((sum, size) => sum + size.count * chanceIn(suite, size, chance), 0);
    const observed = chances.filter((other) => other <= chance + rounding).length;
    const isRare = expected <= levelOfPartialDrops * observed || (areFlipsNews && isFlip(pair));
    const drop = { isBroken: canTellBroken(pair) && isRare, chance: Math.min(1, expected) };
    dropsByKey.set(key, drop);
    return drop;
  });
}

interface Size {
  readonly triedBefore: number;
  readonly triedNow: number;
  readonly count: number;
}

/** Most suites repeat all of their cases equally often. */
function sizesOf(pairs: readonly TallyPair[]): Size[] {
  const found = new Map<string, Size>();
  for (const { before, now } of pairs) {
    const [triedBefore, triedNow] = [before.passed + before.failed, now.passed + now.failed];
    if (triedBefore === 0 || triedNow === 0) continue;
    const key = `${triedBefore} ${triedNow}`;
    found.set(key, { triedBefore, triedNow, count: (found.get(key)?.count ?? 0) + 1 });
  }
  return [...found.values()];
}

/** The chance that an unchanged case of the suite drops as far, by the same measure. */
function chanceIn({ rates, shares }: Flakiness, { triedBefore, triedNow }: Size, drop: number): number {
  if (triedBefore * triedNow > mostPatterns) return drop;
  const patterns: { readonly failedBefore: number; readonly failedNow: number }[] = [];
  for (let failedBefore = 0; failedBefore <= triedBefore; failedBefore++) {
    for (let failedNow = 0; failedNow <= triedNow; failedNow++) {
      const before = { passed: triedBefore - failedBefore, failed: failedBefore };
      const now = { passed: triedNow - failedNow, failed: failedNow };
      if (isDrop({ before, now }) && chanceOfDrop({ before, now }) <= drop + rounding)
        patterns.push({ failedBefore, failedNow });
    }
  }
  return rates.reduce((sum, rate, index) => {
    const chanceAt = patterns.reduce(
      (total, { failedBefore, failedNow }) =>
        total + binomial(triedBefore, failedBefore, 1 - rate) * binomial(triedNow, failedNow, 1 - rate),
      0,
    );
    return sum + (shares[index] ?? 0) * chanceAt;
  }, 0);
}

function binomial(tried: number, failed: number, failureRate: number): number {
  return Math.exp(logBinomial(tried, failed)) * failureRate ** failed * (1 - failureRate) ** (tried - failed);
}

/** From always to never. */
function isFlip({ before, now }: TallyPair): boolean {
  return before.failed === 0 && now.passed === 0;
}

function isTellingFlip(pair: TallyPair): boolean {
  return isFlip(pair) && canTellBroken(pair);
}

/** How often flips are called broken in an unchanged suite that is as flaky as this one, in one direction. */
export function chanceOfFlipAlarm(pairs: readonly TallyPair[]): number {
  return flipAlarm(flipsByChance(flakinessOf(pairs.map(pooled)), sizesOf(pairs))).chance;
}

/** The number of flips that an unchanged suite shows on average, in one direction. */
function flipsByChance({ rates, shares }: Flakiness, sizes: readonly Size[]): number {
  const chanceAt = ({ triedBefore, triedNow }: Size): number =>
    rates.reduce((total, rate, index) => total + (shares[index] ?? 0) * flipAt(rate, triedBefore, triedNow), 0);
  const telling = sizes.filter(({ triedBefore, triedNow }) => canTellBroken(complete(triedBefore, triedNow, triedNow)));
  return telling.reduce((sum, size) => sum + size.count * chanceAt(size), 0);
}

/** The more frequent of both directions, so swapping the sides changes nothing. */
function flipAt(rate: number, triedBefore: number, triedNow: number): number {
  return Math.max(rate ** triedBefore * (1 - rate) ** triedNow, (1 - rate) ** triedBefore * rate ** triedNow);
}

/** The number of flips that are news, and how often an unchanged suite shows as many (Poisson; logarithms, as there may be many). */
function flipAlarm(expected: number): { readonly fewest: number; readonly chance: number } {
  let [fewest, chance, logTerm] = [0, 1, -expected];
  while (chance > levelOfFlips) {
    chance -= Math.exp(logTerm);
    fewest++;
    logTerm += Math.log(expected / fewest);
  }
  return { fewest, chance: Math.max(0, chance) };
}

function isDrop({ before, now }: TallyPair): boolean {
  return before.passed * now.failed > before.failed * now.passed;
}

function pooled({ before, now }: TallyPair): PooledTrials {
  const passed = before.passed + now.passed;
  return { passed, tried: passed + before.failed + now.failed };
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
