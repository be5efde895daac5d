import { normalCdf } from './distributions.ts';

/** Points of the grid on which the chance is carried from look to look; odd, for Simpson's rule. */
const gridPoints = 161;
const searchSteps = 40;
/** Chance goes no farther from zero. */
const farthest = 9;

/** How much of the error rate may be used up when this share of the plan has been carried out. */
export type Spending = (share: number) => number;

/**
 * The level at which each of several looks at growing data may be tested: all of them together are wrong at most
 * as often as `spending` allows (Lan and DeMets 1983, by the recursion of Armitage, McPherson and Rowe 1969).
 * `shares` says at which share of the plan each look is made, growing, at most 1. Two-sided. The later looks are taken
 * to be as independent of the earlier as new trials alone can make them; where they are less so, it is wrong less often.
 */
export function levelsOfLooks(shares: readonly number[], spending: Spending): number[] {
  let past: Path = { share: 0, points: [0], weights: [1] };
  let spent = 0;
  return shares.map((share) => {
    const allowed = Math.max(0, spending(share) - spent);
    const step = Math.sqrt(share - past.share);
    const bound = Math.sqrt(share) * boundFor(allowed, (limit) => outside(past, step, limit * Math.sqrt(share)));
    spent += outside(past, step, bound);
    past = within(past, share, step, bound);
    return 2 * normalCdf(-bound / Math.sqrt(share));
  });
}

/** Everything that is not decided so far: how likely the sum of all differences is at each point. */
interface Path {
  readonly share: number;
  readonly points: readonly number[];
  /** Chance at the point times the width that it stands for. */
  readonly weights: readonly number[];
}

/** The chance that a path that is still open leaves the bounds at its next look. */
function outside({ points, weights }: Path, step: number, bound: number): number {
  return points.reduce((sum, point, index) => {
    const leaves = normalCdf((point - bound) / step) + normalCdf((-point - bound) / step);
    return sum + (weights[index] ?? 0) * leaves;
  }, 0);
}

/** The smallest bound that is left no more often than allowed. */
function boundFor(allowed: number, chanceOutside: (limit: number) => number): number {
  let [low, high] = [0, farthest];
  for (let search = 0; search < searchSteps; search++) {
    const middle = (low + high) / 2;
    if (chanceOutside(middle) > allowed) low = middle;
    else high = middle;
  }
  return high;
}

function within(past: Path, share: number, step: number, bound: number): Path {
  const width = (2 * bound) / (gridPoints - 1);
  const points = Array.from({ length: gridPoints }, (_, index) => -bound + index * width);
  const weights = points.map((point, index) => {
    const density = past.points.reduce((sum, from, before) => {
      const distance = (point - from) / step;
      return sum + (past.weights[before] ?? 0) * Math.exp(-0.5 * distance * distance);
    }, 0);
    return (simpson(index) * width * density) / (step * Math.sqrt(2 * Math.PI));
  });
  return { share, points, weights };
}

function simpson(index: number): number {
  if (index === 0 || index === gridPoints - 1) return 1 / 3;
  return index % 2 === 1 ? 4 / 3 : 2 / 3;
}
