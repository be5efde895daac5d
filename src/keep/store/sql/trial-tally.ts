import type { Kysely } from 'kysely';
import type { TrialRecord } from '../../../domain/record.ts';
import type { RowInsertion, SqlEngine } from './sql-engine.ts';
import type { Tables } from './tables.ts';
import { storable } from './trial-row.ts';

interface Tally {
  readonly key: readonly (string | number)[];
  trials: number;
  firstOrdinal: number;
  lastOrdinal: number;
  durationNs: number;
  costPicoUsd: number;
  inputTokens: number;
  outputTokens: number;
  withoutDuration: number;
  withoutCost: number;
  withUsage: number;
  reused: number;
}

const keyColumns = {
  run_id: 'text',
  shard: 'int4',
  file: 'text',
  scenario: 'text',
  variant: 'text',
  outcome: 'text',
  fault_code: 'text',
} as const;

const sums = [
  'trials',
  'duration_ns',
  'cost_pico_usd',
  'input_tokens',
  'output_tokens',
  'without_duration',
  'without_cost',
  'with_usage',
  'reused',
];

/** The columns of the counts with their types. */
export const tallyColumns = {
  ...keyColumns,
  trials: 'int4',
  first_ordinal: 'int4',
  last_ordinal: 'int4',
  duration_ns: 'float8',
  cost_pico_usd: 'float8',
  input_tokens: 'float8',
  output_tokens: 'float8',
  without_duration: 'int4',
  without_cost: 'int4',
  with_usage: 'int4',
  reused: 'int4',
} as const;

/** Adds counts to those that are there. */
export const tallyMerge = `on conflict (${Object.keys(keyColumns).join(',')}) do update set ${[
  ...sums.map((column) => `${column} = trial_counts.${column} + excluded.${column}`),
  extreme('first_ordinal', '<'),
  extreme('last_ordinal', '>'),
].join(', ')}`;

const insertion: RowInsertion = { table: 'trial_counts', columns: tallyColumns, ending: tallyMerge };

/**
 * Adds records to the counts. To be the last thing in a transaction, because other writers of the shard wait from here
 * to its end.
 */
export async function countRecords(
  db: Kysely<Tables>,
  engine: SqlEngine,
  records: readonly TrialRecord[],
): Promise<void> {
  const tallies = new Map<string, Tally>();
  for (const record of records) addTo(tallies, record, engine.countShard);
  // All writers take rows in the same order, so no two wait for each other.
  const ordered = [...tallies].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, tally]) => tally);
  const rows = ordered.map(({ key, ...counts }) => [...key, ...Object.values(counts)]);
  const { freeCountShard } = engine;
  await engine.insertRows(
    db,
    freeCountShard ? { ...insertion, expressions: { shard: freeCountShard } } : insertion,
    rows,
  );
}

function addTo(tallies: Map<string, Tally>, record: TrialRecord, shard: number): void {
  const { runId, file, scenario, variant, outcome, fault, ordinal, durationMs, costUsd, usage, cachedFrom } = record;
  const cell = [storable(file), storable(scenario), JSON.stringify(variant)];
  const key = [runId, shard, ...cell, outcome, fault?.code ?? ''];
  const name = key.join('\0');
  const tally = tallies.get(name) ?? emptyTally(key, ordinal);
  tallies.set(name, tally);
  tally.trials++;
  tally.firstOrdinal = Math.min(tally.firstOrdinal, ordinal);
  tally.lastOrdinal = Math.max(tally.lastOrdinal, ordinal);
  tally.durationNs += Math.round((durationMs ?? 0) * 1e6);
  tally.costPicoUsd += Math.round((costUsd ?? 0) * 1e12);
  tally.inputTokens += usage?.inputTokens ?? 0;
  tally.outputTokens += usage?.outputTokens ?? 0;
  if (durationMs === null) tally.withoutDuration++;
  if (costUsd === null) tally.withoutCost++;
  if (usage !== null) tally.withUsage++;
  if (cachedFrom !== null) tally.reused++;
}

/** Its fields are in the order of the columns. */
function emptyTally(key: Tally['key'], ordinal: number): Tally {
  return {
    key,
    trials: 0,
    firstOrdinal: ordinal,
    lastOrdinal: ordinal,
    durationNs: 0,
    costPicoUsd: 0,
    inputTokens: 0,
    outputTokens: 0,
    withoutDuration: 0,
    withoutCost: 0,
    withUsage: 0,
    reused: 0,
  };
}

function extreme(column: string, comparison: '<' | '>'): string {
  const [there, added] = [`trial_counts.${column}`, `excluded.${column}`];
  return `${column} = case when ${added} ${comparison} ${there} then ${added} else ${there} end`;
}
