import { madeRows, type Rows } from '../rows.ts';
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
export function caseDrops(pairs: Rows<TallyPair>): Rows<CaseDrop> {
  const { kinds, kindOf } = kindsOf(pairs);
  const sizes = sizesOf(kinds);
  const suite = flakinessOf(kinds.map(pooled));
  const tails = sizes.map((size) => ({ count: size.count, shareBeyond: dropTail(suite, size) }));
  const areFlipsNews = countOf(kinds.filter(isTellingFlip)) >= flipAlarm(flipsByChance(suite, sizes)).fewest;
  const dropOf = (kind: Kind): CaseDrop => {
    if (!isDrop(kind)) return { isBroken: false, chance: 1 };
    const expected = tails.reduce((sum, { count, shareBeyond }) => sum + count * shareBeyond(kind.chance), 0);
    const observed = countOf(kinds.filter(({ chance }) => chance <= kind.chance + rounding));
    const isRare = expected <= levelOfPartialDrops * observed || (areFlipsNews && isFlip(kind));
    return { isBroken: canTellBroken(kind) && isRare, chance: Math.min(1, expected) };
  };
  const drops = kinds.map(dropOf);
  return madeRows(pairs.length, (index) => drops[kindOf[index] ?? 0] as CaseDrop);
}

/** Cases that ended alike. */
interface Kind extends TallyPair {
  /** Of the drop, by Fisher's test; 1 for cases that did not drop. */
  readonly chance: number;
  count: number;
}

/** The kinds of cases, and which of them each is; a suite of many cases has few of them. */
function kindsOf(pairs: Rows<TallyPair>): { readonly kinds: readonly Kind[]; readonly kindOf: Int32Array } {
  const [kinds, places] = [[] as Kind[], new Map<string, number>()];
  const kindOf = new Int32Array(pairs.length);
  let index = 0;
  for (const { before, now } of pairs) {
    const key = `${before.passed} ${before.failed} ${now.passed} ${now.failed}`;
    const place = places.get(key) ?? kinds.length;
    if (place === kinds.length) {
      places.set(key, place);
      const chance = isDrop({ before, now }) ? chanceOfDrop({ before, now }) : 1;
      kinds.push({ before: tallyOf(before), now: tallyOf(now), chance, count: 0 });
    }
    (kinds[place] as Kind).count++;
    kindOf[index++] = place;
  }
  return { kinds, kindOf };
}

/** Of a case of which only these counts are to be kept. */
function tallyOf({ passed, failed }: CaseTally): CaseTally {
  return { passed, failed };
}

function countOf(kinds: readonly Kind[]): number {
  return kinds.reduce((sum, { count }) => sum + count, 0);
}

interface Size {
  readonly triedBefore: number;
  readonly triedNow: number;
  readonly count: number;
}

/** Most suites repeat all of their cases equally often. */
function sizesOf(kinds: readonly Kind[]): Size[] {
  const found = new Map<string, Size>();
  for (const { before, now, count } of kinds) {
    const [triedBefore, triedNow] = [before.passed + before.failed, now.passed + now.failed];
    if (triedBefore === 0 || triedNow === 0) continue;
    const key = `${triedBefore} ${triedNow}`;
    found.set(key, { triedBefore, triedNow, count: (found.get(key)?.count ?? 0) + count });
  }
  return [...found.values()];
}

/** The share of unchanged cases of the suite that drop as far or farther, by Fisher's chance of the drop. */
function dropTail(suite: Flakiness, { triedBefore, triedNow }: Size): (chance: number) => number {
  if (triedBefore * triedNow > mostPatterns) return (chance) => chance;
  const before = suite.rates.map((rate) => binomials(triedBefore, 1 - rate));
  const now = suite.rates.map((rate) => binomials(triedNow, 1 - rate));
  const drops: { readonly chance: number; readonly share: number }[] = [];
  for (let failedBefore = 0; failedBefore <= triedBefore; failedBefore++) {
    for (let failedNow = 0; failedNow <= triedNow; failedNow++) {
      const pair = {
        before: { passed: triedBefore - failedBefore, failed: failedBefore },
        now: { passed: triedNow - failedNow, failed: failedNow },
      };
      if (!isDrop(pair)) continue;
      const share = suite.shares.reduce(
        (sum, each, rate) => sum + each * (before[rate]?.[failedBefore] ?? 0) * (now[rate]?.[failedNow] ?? 0),
        0,
      );
      drops.push({ chance: chanceOfDrop(pair), share });
    }
  }
  return (chance) => drops.reduce((sum, drop) => (drop.chance <= chance + rounding ? sum + drop.share : sum), 0);
}

/** The chances of 0, 1, … failures. */
function binomials(tried: number, failureRate: number): number[] {
  const failures = Array.from({ length: tried + 1 }, (_, failed) => failed);
  // A logarithm of 0 is only defined where nothing is multiplied by it.
  if (failureRate === 0 || failureRate === 1) return failures.map((failed) => Number(failed === tried * failureRate));
  const [failure, pass] = [Math.log(failureRate), Math.log(1 - failureRate)];
  return failures.map((failed) => Math.exp(logBinomial(tried, failed) + failed * failure + (tried - failed) * pass));
}

/** From always to never. */
function isFlip({ before, now }: TallyPair): boolean {
  return before.failed === 0 && now.passed === 0;
}

function isTellingFlip(pair: TallyPair): boolean {
  return isFlip(pair) && canTellBroken(pair);
}

/** How often flips are called broken in an unchanged suite that is as flaky as this one, in one direction. */
export function chanceOfFlipAlarm(pairs: Rows<TallyPair>): number {
  const { kinds } = kindsOf(pairs);
  return flipAlarm(flipsByChance(flakinessOf(kinds.map(pooled)), sizesOf(kinds))).chance;
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

function pooled({ before, now, count }: Kind): PooledTrials {
  const passed = before.passed + now.passed;
  return { passed, tried: passed + before.failed + now.failed, cases: count };
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
