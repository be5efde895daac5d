/** How often a case was tried, and how often it passed. */
export interface Tries {
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
export function meanOverCases(
  cases: readonly Tries[],
  estimate: (tries: Tries) => number | undefined,
): number | undefined {
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
