/** Below so many cases that differ, no two-sided test can reach five percent. */
export const fewestInformative = 6;

export function logBinomial(count: number, chosen: number): number {
  let log = 0;
  for (let index = 1; index <= chosen; index++) log += Math.log(count - chosen + index) - Math.log(index);
  return log;
}

/** p-values corrected for having looked at several things at once (Holm), in the order they came. */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((_, index) => index).sort((a, b) => (pValues[a] ?? 0) - (pValues[b] ?? 0));
  const adjusted = new Array<number>(pValues.length).fill(1);
  let largest = 0;
  for (const [rank, index] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (pValues.length - rank) * (pValues[index] ?? 1)));
    adjusted[index] = largest;
  }
  return adjusted;
}

/**
 * The level at which Holm tests each p-value, in the order they came. An interval at this level excludes 0 exactly where
 * Holm rejects, so answers and intervals of several comparisons do not contradict each other.
 */
export function holmLevels(pValues: readonly number[], level: number): number[] {
  const order = pValues.map((_, index) => index).sort((a, b) => (pValues[a] ?? 0) - (pValues[b] ?? 0));
  const levels = new Array<number>(pValues.length).fill(level);
  let isOpen = true;
  let current = level;
  for (const [rank, index] of order.entries()) {
    if (isOpen) current = level / (pValues.length - rank);
    levels[index] = current;
    isOpen &&= (pValues[index] ?? 1) <= current;
  }
  return levels;
}
