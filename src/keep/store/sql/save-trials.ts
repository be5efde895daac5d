import { type Kysely, type Selectable, sql } from 'kysely';
import type { TrialRecord } from '../../../domain/record.ts';
import type { EarlierAttempt, FinishedTrial } from '../store.ts';
import { type PackedTrials, PackReader, packTrials } from './packed-trials.ts';
import { countRequeue } from './run-controls.ts';
import { forgetSummaries } from './run-summaries.ts';
import type { RowInsertion, SqlEngine } from './sql-engine.ts';
import type { Tables } from './tables.ts';
import { checkedTrial, hasOutcome, recordOf, retried, rowValues, trialColumns } from './trial-row.ts';
import { countRecords, moveCounts, tallyColumns, tallyMerge } from './trial-tally.ts';

const insertion: RowInsertion = {
  table: 'trials',
  columns: trialColumns,
  ending: 'on conflict (trial_id) do nothing returning trial_id',
};

/** The row of a trial that was not there before. */
interface StoredRow {
  readonly trial_id: string;
  readonly attempt?: number;
}

/** Stores trials in one transaction; those that are stored already stay as they are. */
export async function saveTrials(
  db: Kysely<Tables>,
  engine: SqlEngine,
  trials: readonly FinishedTrial[],
): Promise<void> {
  if (trials.length === 0) return;
  const packed = await packTrials(trials);
  if (await engine.saveAtOnce?.(db, packed)) return;
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
    const inserted = await insertGroup(transaction, engine, group, insertion, ({ record }, slots) =>
      rowValues(record, slots),
    );
    const ids = new Set(inserted.map(({ trial_id }) => trial_id));
    stored.push(...group.trials.flatMap(({ record }) => (ids.delete(record.trialId) ? [record] : [])));
  }
  await countRecords(transaction, engine, stored);
  return new Set(stored.map(({ trialId }) => trialId));
}

/**
 * Stores packed trials of which none is stored yet, in a transaction of the caller. Where one is stored already the
 * database refuses all. Nothing comes back from it: that would cost half as much again for each row.
 */
export async function saveNewTrials(
  transaction: Kysely<Tables>,
  engine: SqlEngine,
  packed: readonly PackedTrials[],
): Promise<void> {
  for (const group of packed) {
    const packs = await insertPacks(transaction, group);
    const rows = group.trials.map(({ record }, slot) => rowValues(record, { ...packs, slot }));
    await engine.insertRows(transaction, { ...insertion, ending: '' }, rows);
  }
  await countRecords(
    transaction,
    engine,
    packed.flatMap(({ trials }) => trials.map(({ record }) => record)),
  );
}

/** Inserts the documents of a group, and gives the ids of its packs. */
async function insertPacks(transaction: Kysely<Tables>, { trials, findings, traces }: PackedTrials) {
  const runId = trials[0]?.record.runId ?? '';
  const packs = await transaction
    .insertInto('packs')
    .values([findings, traces].map((pack) => ({ run_id: runId, ...pack })))
    .returning('pack_id')
    .execute();
  // Engines need not return rows in the order in which they were given ids.
  const [findingsPack = 0, tracePack = 0] = packs.map(({ pack_id }) => Number(pack_id)).sort((a, b) => a - b);
  return { findingsPack, tracePack };
}

async function insertGroup<Trial extends FinishedTrial>(
  transaction: Kysely<Tables>,
  engine: SqlEngine,
  group: PackedTrials<Trial>,
  into: RowInsertion,
  rowOf: (trial: Trial, slots: Parameters<typeof rowValues>[1]) => unknown[],
): Promise<StoredRow[]> {
  const packs = await insertPacks(transaction, group);
  const rows = group.trials.map((trial, slot) => rowOf(trial, { ...packs, slot }));
  const inserted = await engine.insertRows<StoredRow>(transaction, into, rows);
  // All were stored before: these documents would never be read.
  if (inserted.length === 0)
    await transaction.deleteFrom('packs').where('pack_id', 'in', [packs.findingsPack, packs.tracePack]).execute();
  return inserted;
}

const attemptInsertion: RowInsertion = {
  table: 'trial_attempts',
  columns: { ...trialColumns, attempt: 'int4' },
  ending: 'on conflict (trial_id, attempt) do nothing returning trial_id, attempt',
};

/** Stores earlier attempts, which count with what they cost; those that are stored already stay as they are. */
export async function saveAttempts(
  db: Database,
  engine: SqlEngine,
  attempts: readonly EarlierAttempt[],
): Promise<void> {
  const packed = await packTrials(attempts);
  await db.transaction().execute(async (transaction) => {
    const stored: TrialRecord[] = [];
    for (const group of packed) {
      const inserted = await insertGroup(transaction, engine, group, attemptInsertion, ({ record, attempt }, slots) => [
        ...rowValues(record, slots),
        attempt,
      ]);
      const isNew = ({ record, attempt }: EarlierAttempt): boolean =>
        inserted.some((row) => row.trial_id === record.trialId && row.attempt === attempt);
      stored.push(...group.trials.filter(isNew).map(({ record }) => record));
    }
    await countRecords(transaction, engine, stored, retried);
  });
}

type Database = Kysely<Tables>;

/** Moves trials of a run that ended in an error to their earlier attempts. */
export function setAsideErrors(
  db: Database,
  engine: SqlEngine,
  runId: string,
  trialIds?: readonly string[],
): Promise<number> {
  return db.transaction().execute((transaction) => setAsideErrorsIn(transaction, engine, runId, trialIds));
}

/** The same in a transaction of the caller. */
export async function setAsideErrorsIn(
  transaction: Database,
  engine: SqlEngine,
  runId: string,
  trialIds?: readonly string[],
): Promise<number> {
  const columns = sql.join(Object.keys(trialColumns).map((name) => sql.ref(name)));
  const isChosen = trialIds === undefined ? sql<boolean>`true` : sql<boolean>`trial_id in (${sql.join(trialIds)})`;
  const { numAffectedRows = 0n } = await sql`
    insert into trial_attempts (${columns}, attempt)
    select ${columns}, 1 + (select count(*) from trial_attempts a where a.trial_id = trials.trial_id)
    from trials where run_id = ${runId} and ${hasOutcome(['error'])} and ${isChosen}`.execute(transaction);
  if (numAffectedRows === 0n) return 0;
  const removed = await transaction
    .deleteFrom('trials')
    .where('run_id', '=', runId)
    .where(hasOutcome(['error']))
    .where(isChosen)
    .returningAll()
    .execute();
  await forgetSummaries(transaction, [{ run_id: runId }]);
  await countRequeue(transaction, runId);
  if (trialIds === undefined) await countAsRetried(transaction, runId);
  else await moveCounts(transaction, engine, removed, retried);
  return Number(numAffectedRows);
}

/** The trial was run and paid for once, so the record that waited is not an earlier attempt. */
export async function replaceWaiting(db: Database, engine: SqlEngine, trials: readonly FinishedTrial[]): Promise<void> {
  if (trials.length === 0) return;
  await db.transaction().execute(async (transaction) => {
    const removed = await withIds(transaction, trials)
      .where('outcome', '=', 'error')
      .where('fault_code', '=', 'JUDGE_WAITING')
      .returningAll()
      .execute();
    const ids = new Set(removed.map(({ trial_id }) => trial_id));
    const packed = await packTrials(trials.filter(({ record }) => ids.has(record.trialId)));
    await moveCounts(transaction, engine, removed);
    await savePackedTrials(transaction, engine, packed);
    await forgetSummaries(transaction, removed);
  });
}

export async function replaceTrials(db: Database, engine: SqlEngine, trials: readonly FinishedTrial[]): Promise<void> {
  if (trials.length === 0) return;
  const packed = await packTrials(trials);
  await db.transaction().execute(async (transaction) => {
    const removed = await withIds(transaction, trials).returningAll().execute();
    await moveCounts(transaction, engine, removed);
    await savePackedTrials(transaction, engine, packed);
    await forgetSummaries(transaction, removed);
  });
}

function withIds(transaction: Database, trials: readonly FinishedTrial[]) {
  const ids = trials.map(({ record }) => record.trialId);
  return transaction.deleteFrom('trials').where('trial_id', 'in', ids);
}

async function countAsRetried(transaction: Database, runId: string): Promise<void> {
  const names = Object.keys(tallyColumns);
  const values = names.map((name) => (name === 'outcome' ? sql.lit(retried) : sql.ref(name)));
  await sql`
    insert into trial_counts (${sql.join(names.map((name) => sql.ref(name)))})
    select ${sql.join(values)} from trial_counts where run_id = ${runId} and outcome = 'error'
    ${sql.raw(tallyMerge)}`.execute(transaction);
  await transaction.deleteFrom('trial_counts').where('run_id', '=', runId).where('outcome', '=', 'error').execute();
}

/** Earlier attempts of a trial, the first one first. */
export async function readAttempts(db: Database, packs: PackReader, trialId: string): Promise<TrialRecord[]> {
  const rows = await db
    .selectFrom('trial_attempts')
    .selectAll()
    .where('trial_id', '=', trialId)
    .orderBy('attempt')
    .execute();
  const records: TrialRecord[] = [];
  for (const row of rows)
    records.push(recordOf(checkedTrial(row), await packs.line(Number(row.findings_pack), row.slot)));
  return records;
}

const pageSize = 200;
/** Trials that finished together lie together; those that are planned together are not far apart. */
const openPacks = 32;

/** A trial whose documents are read on demand; reading refuses what is not as it was written. */
export interface StoredTrial {
  readonly trialId: string;
  readonly ordinal: number;
  read(): Promise<FinishedTrial>;
}

/** Reads whole trials, many after another. */
export class StoredTrials {
  readonly #db: Kysely<Tables>;
  readonly #packs: PackReader;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
    this.#packs = new PackReader(db, openPacks);
  }

  /** The trials of a run in plan order, in pages. */
  async *pages(runId: string): AsyncGenerator<StoredTrial[], void> {
    for (let after = -1; ; ) {
      const rows = await this.#db
        .selectFrom('trials')
        .selectAll()
        .where('run_id', '=', runId)
        .where('ordinal', '>', after)
        .orderBy('ordinal')
        .limit(pageSize)
        .execute();
      if (rows.length > 0) yield rows.map((row) => this.#stored(row));
      if (rows.length < pageSize) return;
      after = rows.at(-1)?.ordinal ?? after;
    }
  }

  /** Those of the trials that are stored, by their ids. */
  async byId(trialIds: readonly string[]): Promise<ReadonlyMap<string, StoredTrial>> {
    if (trialIds.length === 0) return new Map();
    const rows = await this.#db.selectFrom('trials').selectAll().where('trial_id', 'in', trialIds).execute();
    return new Map(rows.map((row) => [row.trial_id, this.#stored(row)]));
  }

  /** Earlier attempts of the trials of a run. */
  async attempts(runId: string): Promise<(StoredTrial & { readonly attempt: number })[]> {
    const rows = await this.#db
      .selectFrom('trial_attempts')
      .selectAll()
      .where('run_id', '=', runId)
      .orderBy('trial_id')
      .orderBy('attempt')
      .execute();
    return rows.map((row) => ({ ...this.#stored(row), attempt: row.attempt }));
  }

  #stored(row: Selectable<Tables['trials']>): StoredTrial {
    return {
      trialId: row.trial_id,
      ordinal: row.ordinal,
      read: async () => ({
        record: recordOf(checkedTrial(row), await this.#packs.line(Number(row.findings_pack), row.slot)),
        trace: JSON.parse(await this.#packs.line(Number(row.trace_pack), row.slot)),
      }),
    };
  }
}
