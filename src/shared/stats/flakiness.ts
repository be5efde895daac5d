/** Judged trials of cases that ended alike. */
export interface PooledTrials {
  /** In each of the cases. */
  readonly passed: number;
  readonly tried: number;
  readonly cases: number;
}

/** How flaky the cases of a suite are: the pass rates that they may have, and the share of cases with each. */
export interface Flakiness {
  readonly rates: readonly number[];
  readonly shares: readonly number[];
}

const steps = 40;
const rates: readonly number[] = Array.from({ length: steps + 1 }, (_, step) => step / steps);
const rounds = 200;
/** As many cases of which nothing is known: a small suite is not taken to be as steady as it happened to look. */
const unknownCases = 0.5;

/**
 * The distribution of the pass rates of a suite, estimated from the trials of all of its cases (nonparametric maximum
 * likelihood on a grid, by expectation and maximisation).
 */
export function flakinessOf(kinds: readonly PooledTrials[]): Flakiness {
  const merged = new Map<string, PooledTrials>();
  for (const { passed, tried, cases } of kinds) {
    const key = `${passed}/${tried}`;
    if (tried > 0) merged.set(key, { passed, tried, cases: cases + (merged.get(key)?.cases ?? 0) });
  }
  const observed = Array.from(merged.values(), (kind) => ({ cases: kind.cases, chances: chancesOf(kind) }));
  const total = observed.reduce((sum, { cases }) => sum + cases, unknownCases);
  let shares = new Float64Array(rates.length).fill(1 / rates.length);
  for (let round = 0; round < rounds; round++) {
    const next = new Float64Array(rates.length).fill(unknownCases / rates.length / total);
    for (const { cases, chances } of observed) {
      const weight = cases / total / dotProduct(chances, shares);
      for (let index = 0; index < next.length; index++)
        next[index] = (next[index] ?? 0) + weight * (chances[index] ?? 0) * (shares[index] ?? 0);
    }
    shares = next;
  }
  return { rates, shares: [...shares] };
}

function dotProduct(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

/** By rate; the most probable of them has 1, because the chance of any ending of many trials is too small for a number. */
function chancesOf({ passed, tried }: PooledTrials): Float64Array {
  const logs = rates.map((rate) => times(passed, Math.log(rate)) + times(tried - passed, Math.log(1 - rate)));
  const largest = Math.max(...logs);
  return Float64Array.from(logs, (log) => Math.exp(log - largest));
}

/** None of them is 0, even of a logarithm without an end. */
function times(count: number, log: number): number {
  return count === 0 ? 0 : count * log;
}
