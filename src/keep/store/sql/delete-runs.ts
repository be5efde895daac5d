import type { Kysely } from 'kysely';
import { holdersOf } from './run-holders.ts';
import type { SqlEngine } from './sql-engine.ts';
import type { Tables } from './tables.ts';

const tablesOfRuns = ['trials', 'trial_attempts', 'trial_counts', 'packs', 'runs'] as const;

/** Removes runs that began before a time; one that somebody runs stays. Gives their ids. */
export async function deleteRunsBefore(db: Kysely<Tables>, engine: SqlEngine, startedAt: number): Promise<string[]> {
  const old = await db.selectFrom('runs').select('run_id').where('started_at', '<', startedAt).execute();
  const removed: string[] = [];
  for (const { run_id: runId } of old) if (await deleteRun(db, engine, runId)) removed.push(runId);
  return removed;
}

function deleteRun(db: Kysely<Tables>, engine: SqlEngine, runId: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    // Whoever claims the run at the same time waits here, and then finds no claim to replace.
    await transaction.updateTable('run_processes').set({ run_id: runId }).where('run_id', '=', runId).execute();
    if ((await holdersOf(transaction, engine, [runId])).has(runId)) return false;
    await transaction.deleteFrom('run_processes').where('run_id', '=', runId).execute();
    for (const table of tablesOfRuns) await transaction.deleteFrom(table).where('run_id', '=', runId).execute();
    return true;
  });
}
