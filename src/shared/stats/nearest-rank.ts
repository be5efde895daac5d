/** A percentile by nearest rank: a figure that was measured, never one between two; figures must not be empty. */
export function nearestRank(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
