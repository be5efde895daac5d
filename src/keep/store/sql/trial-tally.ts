import type { Kysely, Selectable } from 'kysely';
import type { TrialRecord } from '../../../domain/record.ts';
import type { Usage } from '../../../domain/usage.ts';
import { castsOf } from './columns.ts';
import type { RowInsertion, SqlEngine } from './sql-engine.ts';
import { type Tables, tables } from './tables.ts';
import { marksText, type retried, storable } from './trial-row.ts';

const { columns, key: keyColumns } = tables.trial_counts;

/** The columns of the counts with their types. */
export const tallyColumns = castsOf(columns);

type KeyColumn = (typeof keyColumns)[number];
type CountColumn = Exclude<keyof typeof columns, KeyColumn>;
const extremes: readonly string[] = ['first_ordinal', 'last_ordinal'];
const countColumns = Object.keys(columns).slice(keyColumns.length) as CountColumn[];

/** The counts of one key; its values are in the order of the columns. */
interface Tally {
  readonly key: readonly (string | number)[];
  readonly counts: Record<CountColumn, number>;
}

/** Adds counts to those that are there. */
export const tallyMerge = `on conflict (${keyColumns.join(',')}) do update set ${[
  ...countColumns
    .filter((column) => !extremes.includes(column))
    .map((column) => `${column} = trial_counts.${column} + excluded.${column}`),
  extreme('first_ordinal', '<'),
  extreme('last_ordinal', '>'),
].join(', ')}`;

const insertion: RowInsertion = { table: 'trial_counts', columns: tallyColumns, ending: tallyMerge };

/** How an engine finds the shard to count in. */
export type CountingEngine = Pick<SqlEngine, 'countShard' | 'freeCountShard'>;

/** A trial as it counts. */
interface CountedTrial {
  readonly runId: string;
  /** File, scenario and variant. */
  readonly cell: readonly string[];
  readonly outcome: string;
  readonly faultCode: string;
  readonly marks: string;
  readonly ordinal: number;
  readonly durationMs: number | null;
  readonly costUsd: number | null;
  readonly usage: Usage | null;
  readonly isTimedOut: boolean;
  /** -1 takes the trial out of the counts. */
  readonly times: 1 | -1;
}

/** Rows to add to the counts, and how. */
export interface CountsToAdd {
  readonly insertion: RowInsertion;
  readonly rows: readonly (readonly unknown[])[];
}

/**
 * Adds records to the counts. To be the last thing in a transaction, because other writers of the shard wait from here
 * to its end.
 */
export async function countRecords(
  db: Kysely<Tables>,
  engine: SqlEngine,
  records: readonly TrialRecord[],
  countedAs?: typeof retried,
): Promise<void> {
  const { insertion, rows } = tallyRecords(engine, records, countedAs);
  await engine.insertRows(db, insertion, rows);
}

/** Records as they are added to the counts. */
export function tallyRecords(
  engine: CountingEngine,
  records: readonly TrialRecord[],
  countedAs?: typeof retried,
): CountsToAdd {
  return tally(
    engine,
    records.map((record) => ({
      runId: record.runId,
      cell: [storable(record.file), storable(record.scenario), JSON.stringify(record.variant)],
      outcome: countedAs ?? record.outcome,
      faultCode: record.fault?.code ?? '',
      marks: marksText(record),
      ordinal: record.ordinal,
      durationMs: record.durationMs,
      costUsd: record.costUsd,
      usage: record.usage,
      isTimedOut: record.timedOut === true && (record.outcome === 'pass' || record.outcome === 'fail'),
      times: 1,
    })),
  );
}

/**
 * Counts trials under another outcome, or no longer at all; none of them was judged after a time-out. Counts of one shard
 * may become negative: only their sum over all shards is read.
 */
export async function moveCounts(
  db: Kysely<Tables>,
  engine: SqlEngine,
  rows: readonly Selectable<Tables['trials']>[],
  outcome?: string,
): Promise<void> {
  const before = rows.map(countedRow);
  const after = outcome === undefined ? [] : before.map((trial) => ({ ...trial, outcome, times: 1 as const }));
  const { insertion, rows: counts } = tally(engine, [...before, ...after]);
  await engine.insertRows(db, insertion, counts);
}

function countedRow(row: Selectable<Tables['trials']>): CountedTrial {
  const { input_tokens: inputTokens, output_tokens: outputTokens } = row;
  return {
    runId: row.run_id,
    cell: [row.file, row.scenario, row.variant],
    outcome: row.outcome,
    faultCode: row.fault_code ?? '',
    marks: row.marks ?? '',
    ordinal: row.ordinal,
    durationMs: row.duration_ms,
    costUsd: row.cost_usd,
    usage: inputTokens === null || outputTokens === null ? null : { inputTokens, outputTokens },
    isTimedOut: false,
    times: -1,
  };
}

function tally(engine: CountingEngine, trials: readonly CountedTrial[]): CountsToAdd {
  const tallies = new Map<string, Tally>();
  for (const trial of trials) addTo(tallies, trial, engine.countShard);
  // All writers take rows in the same order, so no two wait for each other.
  const ordered = [...tallies].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, one]) => one);
  const rows = ordered.map(({ key, counts }) => [...key, ...countColumns.map((column) => counts[column])]);
  const { freeCountShard } = engine;
  return { rows, insertion: freeCountShard ? { ...insertion, expressions: { shard: freeCountShard } } : insertion };
}

function addTo(tallies: Map<string, Tally>, trial: CountedTrial, shard: number): void {
  const { runId, cell, outcome, faultCode, marks, ordinal, durationMs, costUsd, usage, isTimedOut, times } = trial;
  const key = [runId, shard, ...cell, outcome, faultCode, marks];
  const name = key.join('\0');
  const { counts } = tallies.get(name) ?? setTally(tallies, name, key, ordinal);
  counts.trials += times;
  counts.first_ordinal = Math.min(counts.first_ordinal, ordinal);
  counts.last_ordinal = Math.max(counts.last_ordinal, ordinal);
  counts.duration_ns += times * Math.round((durationMs ?? 0) * 1e6);
  counts.cost_pico_usd += times * Math.round((costUsd ?? 0) * 1e12);
  const isKnown = usage?.inputTokens !== undefined && usage.outputTokens !== undefined;
  // A sum of some of the parts would be read as one of all.
  counts.input_tokens += isKnown ? times * (usage.inputTokens ?? 0) : 0;
  counts.output_tokens += isKnown ? times * (usage.outputTokens ?? 0) : 0;
  if (durationMs === null) counts.without_duration += times;
  if (costUsd === null) counts.without_cost += times;
  // Only a trial that used no model has neither tokens nor a cost.
  const isSpent = usage !== null || costUsd !== 0;
  if (!isKnown && isSpent) counts.without_usage += times;
  if (isTimedOut) counts.timed_out += times;
}

function setTally(tallies: Map<string, Tally>, name: string, key: Tally['key'], ordinal: number): Tally {
  const zeros = countColumns.map((column) => [column, extremes.includes(column) ? ordinal : 0]);
  const tally: Tally = { key, counts: Object.fromEntries(zeros) };
  tallies.set(name, tally);
  return tally;
}

function extreme(column: string, comparison: '<' | '>'): string {
  const [there, added] = [`trial_counts.${column}`, `excluded.${column}`];
  return `${column} = case when ${added} ${comparison} ${there} then ${added} else ${there} end`;
}
