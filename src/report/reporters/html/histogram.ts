/** One column of a histogram: from `low` up to but without `high`, the last one with it. */
export interface Bin {
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

/**
 * Counts in columns of equal width, or of equal ratio where the values spread over more than two orders of magnitude.
 * Nothing that is not a finite number counts; no values give no columns, and a single value gives one.
 */
export function histogram(values: readonly number[], columns = 24): Bin[] {
  const usable = values.filter((value) => Number.isFinite(value) && value >= 0);
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  for (const value of usable) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (usable.length === 0) return [];
  if (low === high) return [{ low, high, count: usable.length }];
  const floor = Math.max(low, high / 1e6);
  const isWide = floor > 0 && high / floor > 100;
  const edgeAt = (index: number): number =>
    isWide ? floor * (high / floor) ** (index / columns) : low + ((high - low) * index) / columns;
  const columnOf = (value: number): number =>
    isWide
      ? (Math.log(Math.max(value, floor) / floor) / Math.log(high / floor)) * columns
      : ((value - low) / (high - low)) * columns;
  const counts = new Array<number>(columns).fill(0);
  for (const value of usable) {
    const column = Math.min(columns - 1, Math.floor(columnOf(value)));
    counts[column] = (counts[column] ?? 0) + 1;
  }
  return counts.map((count, index) => ({ low: edgeAt(index), high: edgeAt(index + 1), count }));
}
