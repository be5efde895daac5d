import { sumOf } from '../../../domain/cost-sum.ts';
import type { TrialRow } from './trial-row.ts';

/** One column of a histogram: from `low` up to but without `high`, the last one with it. */
interface Bin {
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

/** Trials that have a name in common. */
export interface TrialGroup {
  readonly name: string;
  /** Could not be judged, or did not run. */
  readonly unjudged: number;
  /** Of those that were measured; null where none was. */
  readonly medianMs: number | null;
  /** Null where a trial did not report it. */
  readonly costUsd: number | null;
}

/** Trials by name, in the order in which the names first come. */
export function trialGroups(rows: readonly TrialRow[], nameOf: (row: TrialRow) => string): TrialGroup[] {
  return [...groupedBy(rows, nameOf)].map(([name, members]) => ({
    name,
    unjudged: members.filter(({ outcome }) => outcome === 'error' || outcome === 'skipped').length,
    medianMs: median(members.flatMap(({ durationMs }) => durationMs ?? [])),
    costUsd: sumOf(members.map(({ costUsd }) => costUsd)),
  }));
}

function median(values: readonly number[]): number | null {
  return values.length === 0 ? null : quantile(values, 0.5);
}

/** Values that share a key, in the order in which the keys first come. */
export function groupedBy<Value>(values: Iterable<Value>, keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

/** The value below which the given share of all values lies; 0 when there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
