import { type Kysely, sql } from 'kysely';
import type { RunControls, RunHeader } from '../../../domain/run.ts';
import { changeRun } from './run-checksum.ts';
import type { SqlEngine } from './sql-engine.ts';
import type { Tables } from './tables.ts';

type Database = Kysely<Tables>;

/** Changes settings of a run; those that are left out stay as they are. */
export async function changeControls(
  db: Database,
  runId: string,
  { concurrency, maxUsd }: { readonly concurrency?: number | undefined; readonly maxUsd?: number | undefined },
): Promise<void> {
  const changed = {
    ...(concurrency !== undefined && { concurrency }),
    ...(maxUsd !== undefined && { max_usd: maxUsd }),
  };
  await ensureControls(db, runId);
  if (Object.keys(changed).length > 0)
    await db.updateTable('run_controls').set(changed).where('run_id', '=', runId).execute();
}

/** Begins a pause; false where the run is paused already. */
export async function pauseRun(db: Database, engine: SqlEngine, runId: string): Promise<boolean> {
  await ensureControls(db, runId);
  const { numUpdatedRows } = await db
    .updateTable('run_controls')
    .set({ paused_at: engine.now() })
    .where('run_id', '=', runId)
    .where('paused_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a pause and adds its time to that of the run; false where the run was not paused. */
export function continueRun(db: Database, engine: SqlEngine, runId: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    // Locks the row, so a pause is added once.
    const { numUpdatedRows } = await transaction
      .updateTable('run_controls')
      .set({ run_id: runId })
      .where('run_id', '=', runId)
      .where('paused_at', 'is not', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    const pause = await transaction
      .selectFrom('run_controls')
      .select(['paused_at', engine.now().as('now')])
      .where('run_id', '=', runId)
      .executeTakeFirstOrThrow();
    const pausedMs = Number(pause.now) - Number(pause.paused_at);
    await changeRun(transaction, { runId }, ({ paused_ms }) => ({ paused_ms: Number(paused_ms) + pausedMs }));
    await transaction.updateTable('run_controls').set({ paused_at: null }).where('run_id', '=', runId).execute();
    return true;
  });
}

/** Forgets the changes of an earlier process; gives the settings as they were. */
export async function beginControls(
  db: Database,
  engine: SqlEngine,
  runId: string,
  maxUsd: number | undefined,
): Promise<RunControls | undefined> {
  const before = await readControls(db, engine, runId);
  if (before?.isPaused) await continueRun(db, engine, runId);
  if (before)
    await db
      .updateTable('run_controls')
      .set({ concurrency: null, max_usd: maxUsd ?? null })
      .where('run_id', '=', runId)
      .execute();
  if (maxUsd !== undefined) await changeControls(db, runId, { maxUsd });
  return before;
}

/** Notes that trials were set aside to be run again; in the transaction that sets them aside. */
export async function countRequeue(transaction: Database, runId: string): Promise<void> {
  await ensureControls(transaction, runId);
  await transaction
    .updateTable('run_controls')
    .set({ requeues: sql<number>`requeues + 1` })
    .where('run_id', '=', runId)
    .execute();
}

/** The settings of a run; undefined where none was ever changed. */
export async function readControls(db: Database, engine: SqlEngine, runId: string): Promise<RunControls | undefined> {
  return (await controlsOf(db, engine, [runId])).get(runId);
}

/** Runs with the time of their pauses, and those that are paused with that status. */
export async function withControls(db: Database, engine: SqlEngine, runs: readonly RunHeader[]): Promise<RunHeader[]> {
  const controls = await controlsOf(
    db,
    engine,
    runs.map(({ runId }) => runId),
  );
  return runs.map((run) => {
    const { isPaused = false, pausedMs = 0 } = controls.get(run.runId) ?? {};
    const timed = pausedMs > 0 ? { ...run, pausedMs } : run;
    return isPaused && run.status === 'running' ? { ...timed, status: 'paused' as const } : timed;
  });
}

async function controlsOf(
  db: Database,
  engine: SqlEngine,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, RunControls>> {
  if (runIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('run_controls')
    .innerJoin('runs', 'runs.run_id', 'run_controls.run_id')
    .selectAll('run_controls')
    .select(['paused_ms', 'finished_at', engine.now().as('now')])
    .where('run_controls.run_id', 'in', runIds)
    .execute();
  return new Map(
    rows.map(({ run_id, paused_at, paused_ms, finished_at, now, concurrency, max_usd, requeues }) => {
      const openMs = paused_at === null ? 0 : Math.max(0, Number(finished_at ?? now) - Number(paused_at));
      const pausedMs = Number(paused_ms) + openMs;
      return [run_id, { isPaused: paused_at !== null, pausedMs, concurrency, maxUsd: max_usd, requeues }];
    }),
  );
}

async function ensureControls(db: Database, runId: string): Promise<void> {
  await db
    .insertInto('run_controls')
    .values({ run_id: runId, paused_at: null, concurrency: null, max_usd: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
