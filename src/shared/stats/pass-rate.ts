import { withRoom } from '../number-column.ts';
import { studentQuantile } from './distributions.ts';

/** Names a sampled unit among those of one sample. */
export type UnitKey = string | number;

/** The range in which the true value lies, at the confidence of its quantile. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The quantile of the normal distribution that gives 95 % intervals. */
export const z95 = 1.959963984540054;

/** Wilson's score interval for a proportion; all of 0 to 1 when there were no trials. */
export function wilson(successes: number, trials: number, z = z95): Interval {
  if (trials === 0) return { low: 0, high: 1 };
  const share = successes / trials;
  const square = (z * z) / trials;
  const centre = share + square / 2;
  const margin = z * Math.sqrt((share * (1 - share)) / trials + square / (4 * trials));
  return {
    low: successes === 0 ? 0 : (centre - margin) / (1 + square),
    high: successes === trials ? 1 : (centre + margin) / (1 + square),
  };
}

/** The judged trials of one case under one variant. Errors, skipped and reused trials are not among them. */
interface CaseOutcomes {
  /** Names the case: the same scenario and case id under another model, agent or persona is the same case. */
  readonly caseKey: UnitKey;
  /** The sampled unit, where it is not the case but its scenario. */
  readonly unit?: UnitKey | undefined;
  readonly passed: number;
  readonly failed: number;
}

/** How much of a run passed: each case counts once, however often it was repeated. */
export interface PassRate {
  /** The mean over the cases of the share of their judged trials that passed; null when nothing was judged. */
  readonly rate: number | null;
  /** 95 %, for cases like these; null when nothing was judged. */
  readonly interval: Interval | null;
  /** Cases with at least one judged trial. */
  readonly cases: number;
  /** Judged trials, and those of them that passed. */
  readonly trials: number;
  readonly passed: number;
}

/**
 * The one pass rate of all reports. Repeats of a case resemble each other, so the interval is Wilson's with as many
 * trials as independent ones would carry as much information, and with Student's quantile for few units. It is never wider
 * than that of the units alone, so more repeats never widen it.
 */
export function passRate(outcomes: Iterable<CaseOutcomes>): PassRate {
  const units = new UnitShares();
  const keys = new Set<UnitKey>();
  let [trials, passed] = [0, 0];
  for (const one of outcomes) {
    const judged = one.passed + one.failed;
    if (judged === 0) continue;
    trials += judged;
    passed += one.passed;
    units.add(one.unit ?? one.caseKey, one.passed / judged);
    keys.add(one.caseKey);
  }
  if (units.length === 0) return { rate: null, interval: null, cases: 0, trials, passed };
  const count = units.sumOver(({ length }) => length);
  const rate = units.sumOver(({ sum }) => sum) / count;
  return { rate, interval: intervalOf(units, count, rate, trials), cases: keys.size, trials, passed };
}

/** The same where every case was tried once, which makes it a plain sample of cases. */
export function passRateOfSingles(passed: number, failed: number): PassRate {
  const cases = passed + failed;
  if (cases === 0) return { rate: null, interval: null, cases, trials: 0, passed };
  return { rate: passed / cases, interval: wilson(passed, cases), cases, trials: cases, passed };
}

/** How many cases a unit has, and the sum of their shares. */
interface UnitShare {
  readonly length: number;
  readonly sum: number;
}

/** The shares of units, of which only the sums are kept. */
class UnitShares {
  readonly #places = new Map<UnitKey, number>();
  #lengths = new Int32Array(8);
  #sums = new Float64Array(8);

  get length(): number {
    return this.#places.size;
  }

  add(unit: UnitKey, share: number): void {
    const place = this.#places.get(unit) ?? this.#places.size;
    this.#places.set(unit, place);
    this.#lengths = withRoom(this.#lengths, place);
    this.#sums = withRoom(this.#sums, place);
    this.#lengths[place] = (this.#lengths[place] ?? 0) + 1;
    this.#sums[place] = (this.#sums[place] ?? 0) + share;
  }

  sumOver(numberOf: (unit: UnitShare) => number): number {
    let sum = 0;
    for (let place = 0; place < this.length; place++)
      sum += numberOf({ length: this.#lengths[place] ?? 0, sum: this.#sums[place] ?? 0 });
    return sum;
  }
}

function intervalOf(units: UnitShares, count: number, rate: number, trials: number): Interval {
  const several = units.length;
  // Repeats of a single case are a sample of that case, and of nothing else.
  if (several === 1) return wilson(rate * trials, trials);
  const weighty = count ** 2 / units.sumOver(({ length }) => length ** 2);
  // Whatever the repeats say, units that pass or fail altogether vary the most.
  const widest = wilson(rate * weighty, weighty);
  const squares = units.sumOver(({ length, sum }) => (sum - length * rate) ** 2);
  const variance = (squares / count ** 2) * (several / (several - 1));
  if (variance === 0) return widest;
  const effective = Math.min(trials, Math.max(weighty, (rate * (1 - rate)) / variance));
  // The likeness of repeats has to be estimated, so with few units it can say less than nothing.
  return narrower(widest, wilson(rate * effective, effective, studentQuantile(0.95, several - 1)));
}

function narrower(one: Interval, other: Interval): Interval {
  return other.high - other.low < one.high - one.low ? other : one;
}
