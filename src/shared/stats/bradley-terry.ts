import { seededRandom } from '../seeded-random.ts';
import { studentQuantile } from './distributions.ts';
import { gammaDraw } from './gamma-draw.ts';
import { type Interval, z95 } from './pass-rate.ts';

/** One comparison of two contestants, named by their places in a list. */
export interface Contest {
  /** The sampled unit: contests of one unit are not independent of each other. */
  readonly unit: string;
  readonly first: number;
  readonly second: number;
  /** Of the first: 1 for a win, 0 for a loss, 0.5 for a tie. */
  readonly points: number;
}

/** The strength of one contestant (Bradley and Terry 1952). */
export interface Strength {
  /** Natural logarithm; the mean of all contestants is 0. */
  readonly strength: number;
  /** The share of contests that it is expected to win against each of the others once, ties as half. */
  readonly share: number;
  /** 95 % for the share, by drawing units. */
  readonly interval: Interval;
  /** From 1. */
  readonly rank: number;
  readonly rankInterval: Interval;
  /** In how many of the drawn samples it is the strongest. */
  readonly firstShare: number;
}

const draws = 1_000;
const tail = 0.025;
const seed = 20_261_117;
/** As much of a contest as either side of each pair is given beforehand: strengths stay finite, intervals do not vanish. */
const given = 0.5;
const mostSteps = 200;
const tolerance = 1e-4;

/**
 * Strengths of contestants who all met, directly or through others, with intervals of a bootstrap over units (Rubin's,
 * with random weights, so every draw has contests of every pair). With few units the draws are spread as Student's
 * distribution is wider than the normal one.
 */
export function bradleyTerry(contests: readonly Contest[], count: number): Strength[] {
  const units = unitTallies(contests, count);
  const pairs = metPairs(units, count);
  const random = seededRandom(seed);
  const estimate = fitted(
    weighed(
      units,
      pairs,
      count,
      () => 1,
      () => given,
    ),
    count,
    new Float64Array(count),
  );
  const spread = units.length < 2 ? 1 : studentQuantile(0.95, units.length - 1) / z95;
  const drawn = Array.from({ length: draws }, () => {
    const weights = (): number => -Math.log(1 - random());
    const wins = weighed(units, pairs, count, weights, () => gammaDraw(given, random));
    return fitted(wins, count, estimate).map((value, index) => {
      const centre = estimate[index] ?? 0;
      return centre + spread * (value - centre);
    });
  });
  return summarized(
    [...estimate],
    drawn.map((found) => [...found]),
  );
}

/** Points of each contestant (row) against each other (column), row by row. */
type Wins = Float64Array;

function unitTallies(contests: readonly Contest[], count: number): Wins[] {
  const units = new Map<string, Wins>();
  for (const { unit, first, second, points } of contests) {
    const wins = units.get(unit) ?? new Float64Array(count * count);
    units.set(unit, wins);
    wins[first * count + second] = (wins[first * count + second] ?? 0) + points;
    wins[second * count + first] = (wins[second * count + first] ?? 0) + 1 - points;
  }
  return [...units.values()];
}

/** Places in the table of the pairs that met. */
function metPairs(units: readonly Wins[], count: number): number[] {
  const cells = Array.from({ length: count * count }, (_, cell) => cell);
  const opposite = (cell: number): number => (cell % count) * count + Math.floor(cell / count);
  return cells.filter((cell) => units.some((wins) => (wins[cell] ?? 0) + (wins[opposite(cell)] ?? 0) > 0));
}

function weighed(
  units: readonly Wins[],
  pairs: readonly number[],
  count: number,
  weight: () => number,
  further: () => number,
): Wins {
  const sum = new Float64Array(count * count);
  for (const wins of units) {
    const times = weight();
    for (const cell of pairs) sum[cell] = (sum[cell] ?? 0) + times * (wins[cell] ?? 0);
  }
  for (const cell of pairs) sum[cell] = (sum[cell] ?? 0) + further();
  return sum;
}

/** The most likely logarithms of strengths, by minorisation (Hunter 2004) from a first guess. */
function fitted(wins: Wins, count: number, start: Float64Array): Float64Array {
  const strengths = start.map(Math.exp);
  for (let step = 0; step < mostSteps; step++) {
    let change = 0;
    for (let own = 0; own < count; own++) {
      const before = strengths[own] ?? 1;
      let [points, weight] = [0, 0];
      for (let other = 0; other < count; other++) {
        const won = wins[own * count + other] ?? 0;
        points += won;
        weight += (won + (wins[other * count + own] ?? 0)) / (before + (strengths[other] ?? 1));
      }
      const after = points / weight;
      strengths[own] = after;
      change = Math.max(change, Math.abs(after / before - 1));
    }
    if (change < tolerance) break;
  }
  const logs = strengths.map(Math.log);
  const mean = logs.reduce((sum, value) => sum + value, 0) / count;
  return logs.map((value) => value - mean);
}

function summarized(estimate: readonly number[], drawn: readonly (readonly number[])[]): Strength[] {
  const ranks = ranksOf(estimate);
  const drawnRanks = drawn.map(ranksOf);
  return estimate.map((strength, index) => {
    const share = expectedShare(estimate, index);
    const own = drawnRanks.map((found) => found[index] ?? 1);
    return {
      strength,
      share,
      interval: rangeOf(drawn.map((found) => expectedShare(found, index))),
      rank: ranks[index] ?? 1,
      rankInterval: rangeOf(own),
      firstShare: own.filter((rank) => rank === 1).length / own.length,
    };
  });
}

function expectedShare(strengths: readonly number[], index: number): number {
  const own = strengths[index] ?? 0;
  const others = strengths.filter((_, place) => place !== index);
  return others.reduce((sum, other) => sum + 1 / (1 + Math.exp(other - own)), 0) / others.length;
}

/** Contestants of the same strength have the same rank. */
function ranksOf(strengths: readonly number[]): number[] {
  return strengths.map((own) => 1 + strengths.filter((other) => other > own + tolerance).length);
}

function rangeOf(values: readonly number[]): Interval {
  const sorted = values.toSorted((a, b) => a - b);
  const low = sorted[Math.floor(tail * sorted.length)] ?? 0;
  return { low, high: sorted[Math.ceil((1 - tail) * sorted.length) - 1] ?? low };
}
