import { sumOf } from '../../domain/spend.ts';
import type { Interval } from '../../stats/interval.ts';
import { wilson } from '../../stats/wilson.ts';
import type { TrialRow } from './trial-row.ts';

/** How some trials ended; only those that were judged count for the rate. */
export interface PassRate {
  readonly pass: number;
  readonly fail: number;
  readonly error: number;
  readonly skipped: number;
  readonly judged: number;
  /** Share of the judged trials that passed; null when none was judged. */
  readonly share: number | null;
  readonly interval: Interval;
}

/** Trials that have a name in common. */
export interface RateGroup extends PassRate {
  readonly name: string;
  /** Of those that were measured; null where none was. */
  readonly medianMs: number | null;
  /** Null where a trial did not report it. */
  readonly costUsd: number | null;
}

/** The pass rate of trials, with its 95 % interval. */
export function passRate(rows: Iterable<TrialRow>): PassRate {
  const counts = { pass: 0, fail: 0, error: 0, skipped: 0 };
  for (const { outcome } of rows) counts[outcome]++;
  const judged = counts.pass + counts.fail;
  return {
    ...counts,
    judged,
    share: judged === 0 ? null : counts.pass / judged,
    interval: wilson(counts.pass, judged),
  };
}

/** Trials by what names them, in the order in which the names first come. */
export function rateGroups(rows: readonly TrialRow[], nameOf: (row: TrialRow) => string): RateGroup[] {
  return [...groupedBy(rows, nameOf)].map(([name, members]) => ({
    name,
    ...passRate(members),
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
