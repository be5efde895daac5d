import { hasNormalSum } from './has-normal-sum.ts';
import { normalCdf } from './normal.ts';
import { seededRandom } from './seeded-random.ts';

/** Up to so many differences all ways to flip their signs are looked at; beyond, a fixed sample of them. */
const mostEnumerated = 18;
const sampleSize = 20_000;
/** From so many differences on, fewer samples have to do. */
const many = 1_000;
const sampleOfMany = 5_000;
const seed = 20_261_115;
/** Sums that differ by less are the same sum, added up in another order. */
const rounding = 1e-9;

/** How often chance alone would do what was seen. */
export interface ChanceOf {
  /** As far from zero, or farther: the exact p-value, which is never too small. */
  readonly exact: number;
  /** The same with what is just as far counted half, which makes up for there being few different sums. */
  readonly mid: number;
}

/**
 * Two-sided test of paired differences: how often their sum would be as far from zero if each had either sign with the
 * same chance. Differences of zero say nothing.
 */
export function permutationTest(differences: readonly number[]): ChanceOf {
  const informative = differences.filter((difference) => difference !== 0);
  if (informative.length === 0) return { exact: 1, mid: 1 };
  const observed = Math.abs(informative.reduce((sum, difference) => sum + difference, 0));
  const scale = informative.reduce((sum, difference) => sum + Math.abs(difference), 0);
  const count = new SumCount(observed, scale * rounding);
  if (hasNormalSum(informative)) return byNormalSum(informative);
  if (informative.length <= mostEnumerated) enumerate(informative, count);
  else if (informative.length < many) sample(informative, count);
  else sampleMany(Float64Array.from(informative), count);
  return count.chance();
}

/** Counts the sums that are farther from zero than the observed one, and those that are just as far. */
class SumCount {
  readonly #observed: number;
  readonly #tolerance: number;
  #total = 0;
  #farther = 0;
  #asFar = 0;

  constructor(observed: number, tolerance: number) {
    this.#observed = observed;
    this.#tolerance = tolerance;
  }

  add(sum: number): void {
    const beyond = Math.abs(sum) - this.#observed;
    this.#total++;
    if (beyond > this.#tolerance) this.#farther++;
    else if (beyond >= -this.#tolerance) this.#asFar++;
  }

  chance(): ChanceOf {
    return {
      exact: (this.#farther + this.#asFar) / this.#total,
      mid: (this.#farther + this.#asFar / 2) / this.#total,
    };
  }
}

/** Every flip differs from the one before in one sign, which makes each of them one addition. */
function enumerate(differences: readonly number[], count: SumCount): void {
  const signed = [...differences];
  let sum = differences.reduce((total, difference) => total + difference, 0);
  count.add(sum);
  for (let step = 1; step < 2 ** differences.length; step++) {
    const index = 31 - Math.clz32(step & -step);
    const before = signed[index] ?? 0;
    signed[index] = -before;
    sum -= 2 * before;
    count.add(sum);
  }
}

/** What was seen is one of the possible flips, so it is part of the sample. */
function sample(differences: readonly number[], count: SumCount): void {
  const random = seededRandom(seed);
  count.add(differences.reduce((total, difference) => total + difference, 0));
  for (let round = 0; round < sampleSize; round++) {
    let sum = 0;
    for (const difference of differences) sum += random() < 0.5 ? difference : -difference;
    count.add(sum);
  }
}

function byNormalSum(differences: readonly number[]): ChanceOf {
  const sum = differences.reduce((total, difference) => total + difference, 0);
  const deviation = Math.sqrt(differences.reduce((total, difference) => total + difference ** 2, 0));
  const chance = 2 * normalCdf(-Math.abs(sum) / deviation);
  return { exact: chance, mid: chance };
}

/** Signs are drawn 32 at a time. Each sum is twice that of the differences whose sign stays, less the sum of all. */
function sampleMany(differences: Float64Array, count: SumCount): void {
  const random = seededRandom(seed);
  const all = differences.reduce((total, difference) => total + difference, 0);
  count.add(all);
  for (let round = 0; round < sampleOfMany; round++) {
    let kept = 0;
    for (let start = 0; start < differences.length; start += 32) {
      let signs = Math.floor(random() * 2 ** 32);
      const end = Math.min(start + 32, differences.length);
      for (let index = start; index < end; index++, signs >>>= 1) kept += (differences[index] ?? 0) * (signs & 1);
    }
    count.add(2 * kept - all);
  }
}
