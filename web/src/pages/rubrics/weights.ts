const tolerance = 0.01 + 1e-9;

/** The sum of the weights, without floating-point noise. */
export function totalWeight(weights: readonly unknown[]): number {
  const total = weights.reduce<number>((sum, weight) => sum + (typeof weight === 'number' ? weight : 0), 0);
  return Number(total.toFixed(6));
}

/** Whether the weights add up as a rubric wants it. */
export function isWhole(weights: readonly unknown[]): boolean {
  return Math.abs(totalWeight(weights) - 1) <= tolerance;
}

/** The same proportions in hundredths that add up to exactly 1; equal shares where there are none. */
export function wholeWeights(weights: readonly unknown[]): readonly number[] {
  const positive = weights.map((weight) => (typeof weight === 'number' && weight > 0 ? weight : 0));
  const total = positive.reduce((sum, weight) => sum + weight, 0);
  const shares = positive.map((weight) => (total === 0 ? 100 / positive.length : (weight / total) * 100));
  const floors = shares.map(Math.floor);
  const missing = 100 - floors.reduce((sum, share) => sum + share, 0);
  const byRest = shares
    .map((share, index) => ({ index, rest: share - Math.floor(share) }))
    .sort((a, b) => b.rest - a.rest)
    .slice(0, missing)
    .map(({ index }) => index);
  return floors.map((share, index) => (share + (byRest.includes(index) ? 1 : 0)) / 100);
}
