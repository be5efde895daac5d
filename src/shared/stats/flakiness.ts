/** Judged trials of some cases, as counts. */
export interface PooledTrials {
  readonly passed: number;
  readonly tried: number;
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
export function flakinessOf(cases: readonly PooledTrials[]): Flakiness {
  const kinds = new Map<string, PooledTrials & { count: number }>();
  for (const { passed, tried } of cases) {
    if (tried === 0) continue;
    const key = `${passed}/${tried}`;
    const kind = kinds.get(key) ?? { passed, tried, count: 0 };
    kind.count++;
    kinds.set(key, kind);
  }
  const observed = [...kinds.values()].map((kind) => ({
    count: kind.count,
    chances: rates.map((rate) => chanceOf(kind, rate)),
  }));
  const total = observed.reduce((sum, { count }) => sum + count, unknownCases);
  let shares: number[] = rates.map(() => 1 / rates.length);
  for (let round = 0; round < rounds; round++) {
    const next = rates.map(() => unknownCases / rates.length);
    for (const { count, chances } of observed) {
      const whole = chances.reduce((sum, chance, index) => sum + chance * (shares[index] ?? 0), 0);
      for (const [index, chance] of chances.entries())
        next[index] = (next[index] ?? 0) + (count * chance * (shares[index] ?? 0)) / whole;
    }
    shares = next.map((share) => share / total);
  }
  return { rates, shares };
}

/** Up to a factor that is the same for all rates. */
function chanceOf({ passed, tried }: PooledTrials, rate: number): number {
  return rate ** passed * (1 - rate) ** (tried - passed) * 4 ** Math.min(passed, tried - passed);
}
