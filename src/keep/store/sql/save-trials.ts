import type { Kysely } from 'kysely';
import type { TrialRecord } from '../../../domain/record.ts';
import type { FinishedTrial } from '../store.ts';
import { type PackedTrials, packTrials } from './packed-trials.ts';
import type { RowInsertion, SqlEngine } from './sql-engine.ts';
import type { Tables } from './tables.ts';
import { rowValues, trialColumns } from './trial-row.ts';
import { countRecords } from './trial-tally.ts';

const insertion: RowInsertion = {
  table: 'trials',
  columns: trialColumns,
  ending: 'on conflict (trial_id) do nothing returning trial_id',
};

/** Stores trials in one transaction; those that are stored already stay as they are. */
export async function saveTrials(
  db: Kysely<Tables>,
  engine: SqlEngine,
  trials: readonly FinishedTrial[],
): Promise<void> {
  if (trials.length === 0) return;
  const packed = await packTrials(trials);
  await db.transaction().execute((transaction) => savePackedTrials(transaction, engine, packed));
}

/**
 * Stores packed trials in a transaction of the caller, once and at its end: whatever else the transaction does comes
 * before. Gives the ids of those that were not stored yet.
 */
export async function savePackedTrials(
  transaction: Kysely<Tables>,
  engine: SqlEngine,
  packed: readonly PackedTrials[],
): Promise<ReadonlySet<string>> {
  const stored: TrialRecord[] = [];
  for (const group of packed) {
    const ids = await insertGroup(transaction, engine, group);
    stored.push(...group.trials.flatMap(({ record }) => (ids.delete(record.trialId) ? [record] : [])));
  }
  await countRecords(transaction, engine, stored);
  return new Set(stored.map(({ trialId }) => trialId));
}

async function insertGroup(
  transaction: Kysely<Tables>,
  engine: SqlEngine,
  { trials, findings, traces }: PackedTrials,
): Promise<Set<string>> {
  const runId = trials[0]?.record.runId ?? '';
  const packs = await transaction
    .insertInto('packs')
    .values([findings, traces].map((pack) => ({ run_id: runId, ...pack })))
    .returning('pack_id')
    .execute();
  // Engines need not return rows in the order in which they were given ids.
  const [findingsPack = 0, tracePack = 0] = packs.map(({ pack_id }) => Number(pack_id)).sort((a, b) => a - b);
  const rows = trials.map(({ record }, slot) => rowValues(record, { findingsPack, tracePack, slot }));
  const inserted = await engine.insertRows<{ trial_id: string }>(transaction, insertion, rows);
  // All were stored before: nobody would ever read these documents.
  if (inserted.length === 0)
    await transaction.deleteFrom('packs').where('pack_id', 'in', [findingsPack, tracePack]).execute();
  return new Set(inserted.map(({ trial_id }) => trial_id));
}
