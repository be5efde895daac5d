import { everyRow, heldRows, mappedRows, type Rows, sumOfRows } from '../rows.ts';
import { type Interval, passRate, type UnitKey, wilson } from './pass-rate.ts';

/** How often a case was tried, and how often it passed. */
interface Tries {
  readonly tried: number;
  readonly passed: number;
}

/** The chance that at least one of k tries passes, estimated without bias; undefined with fewer than k tries. */
export function passAtK({ tried, passed }: Tries, k: number): number | undefined {
  if (k < 1 || tried < k) return undefined;
  return 1 - shareOfSamples(tried - passed, tried, k);
}

/** The chance that all of k tries pass, estimated without bias; undefined with fewer than k tries. */
export function passHatK({ tried, passed }: Tries, k: number): number | undefined {
  return k < 1 || tried < k ? undefined : shareOfSamples(passed, tried, k);
}

/** The mean over the cases; undefined when a case was tried too rarely, because leaving it out would flatter. */
export function meanOverCases(cases: Rows<Tries>, estimate: (tries: Tries) => number | undefined): number | undefined {
  if (cases.length === 0) return undefined;
  let sum = 0;
  for (const tries of cases) {
    const value = estimate(tries);
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum / cases.length;
}

/** C(chosen, k) / C(all, k): the share of all samples of k that are drawn from the chosen ones only. */
function shareOfSamples(chosen: number, all: number, k: number): number {
  if (chosen < k) return 0;
  let share = 1;
  for (let index = 0; index < k; index++) share *= (chosen - index) / (all - index);
  return share;
}

/** The tries of one case under one variant. */
export interface TriesOfCase extends Tries {
  readonly caseKey: UnitKey;
  /** The sampled unit, where it is not the case but its scenario. */
  readonly unit?: UnitKey | undefined;
}

/** pass@k or pass^k for one k: the mean over the cases, and its 95 % interval for cases like these. */
export interface PassOfK {
  readonly k: number;
  readonly value: number;
  readonly interval: Interval;
}

type Estimate = (tries: Tries, k: number) => number | undefined;

/** pass@k of one variant for every k up to the fewest tries of any case; empty where a case was never judged. */
export function passAtEveryK(cases: Rows<TriesOfCase>): PassOfK[] {
  const found = everyK(cases, passAtK, (share, k) => 1 - (1 - share) ** k);
  // At least one of more tries passes at least as often, so what was excluded for fewer stays excluded.
  let low = 0;
  return found.map((one) => {
    low = Math.max(low, one.interval.low);
    return { ...one, interval: { ...one.interval, low } };
  });
}

/** pass^k for every k up to the fewest tries of any case; empty where a case was never judged. */
export function passHatEveryK(cases: Rows<TriesOfCase>): PassOfK[] {
  const found = everyK(cases, passHatK, (share, k) => share ** k);
  let high = 1;
  return found.map((one) => {
    high = Math.min(high, one.interval.high);
    return { ...one, interval: { ...one.interval, high } };
  });
}

/** `chanceOf` turns the pass rate of a case into the chance that is estimated, and grows with it. */
function everyK(
  cases: Rows<TriesOfCase>,
  estimate: Estimate,
  chanceOf: (share: number, k: number) => number,
): PassOfK[] {
  let most = Number.MAX_SAFE_INTEGER;
  for (const { tried } of cases) most = Math.min(most, tried);
  return Array.from({ length: cases.length === 0 ? 0 : most }, (_, index) => index + 1).flatMap((k) => {
    const value = meanOverCases(cases, (tries) => estimate(tries, k));
    return value === undefined ? [] : [{ k, value, interval: around(value, intervalOf(cases, k, estimate, chanceOf)) }];
  });
}

function intervalOf(
  cases: Rows<TriesOfCase>,
  k: number,
  estimate: Estimate,
  chanceOf: (share: number, k: number) => number,
): Interval {
  if (everyRow(cases, ({ caseKey }) => caseKey === cases.at(0)?.caseKey)) {
    // Repeats of a single case are a sample of its pass rate.
    const { low, high } = wilson(
      sumOfRows(cases, ({ passed }) => passed),
      sumOfRows(cases, ({ tried }) => tried),
    );
    return { low: chanceOf(low, k), high: chanceOf(high, k) };
  }
  const outcomes = heldRows(
    mappedRows(cases, (tries) => {
      const share = estimate(tries, k) ?? 0;
      // Samples of several tries of one case overlap: together they are one observation of the case.
      const weight = k === 1 ? tries.tried : 1;
      return { caseKey: tries.caseKey, unit: tries.unit, passed: share * weight, failed: (1 - share) * weight };
    }),
  );
  return passRate(outcomes).interval ?? { low: 0, high: 1 };
}

/** The estimate without bias can lie beyond what the interval of the pass rate gives: 1 of 5 passed is pass@5 of 100 %. */
function around(value: number, { low, high }: Interval): Interval {
  return { low: Math.min(low, value), high: Math.max(high, value) };
}

/** The share of tries that disagree with the majority: 0 for a case that always ends alike, 0.5 for a coin. */
export function flakiness({ tried, passed }: Tries): number {
  return tried === 0 ? 0 : Math.min(passed, tried - passed) / tried;
}
