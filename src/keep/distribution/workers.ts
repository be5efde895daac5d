import type { Kysely } from 'kysely';
import * as z from 'zod';
import type { Tables } from '../store/sql/tables.ts';
import { type WorkerFacts, workerFactsSchema } from './distribution.ts';
import { databaseNowMs } from './work-database.ts';

type Database = Kysely<Tables>;

const runningTrialSchema = z.object({
  trialId: z.string(),
  runId: z.string(),
  scenario: z.string(),
  caseId: z.string(),
  attempt: z.number(),
  forMs: z.number(),
});
type RunningTrial = z.infer<typeof runningTrialSchema>;

/** `stopping`: it takes nothing new. */
export type WorkerState = 'working' | 'stopping';

/** State that a worker reports with every heartbeat. */
export interface WorkerReport {
  readonly state: WorkerState;
  readonly running: readonly RunningTrial[];
  /** Why it does not take what waits, in words. */
  readonly notes: readonly string[];
}

/** A worker as others see it; ages are by the database's clock. */
export interface ListedWorker extends WorkerReport {
  readonly facts: WorkerFacts;
  readonly upMs: number;
  readonly seenMsAgo: number;
  /** It has not been heard of for longer than its leases last. */
  readonly isLost: boolean;
}

/** Leases a worker may miss before it counts as lost and is no longer listed. */
const forgottenAfterMs = 3_600_000;

/** Publishes that a worker is alive and what it runs. */
export async function reportWorker(
  db: Database,
  facts: WorkerFacts,
  { state, running, notes }: WorkerReport,
  leaseMs: number,
): Promise<void> {
  const report = {
    facts: JSON.stringify(facts),
    state,
    running: JSON.stringify(running),
    notes: JSON.stringify(notes),
    seen_at: databaseNowMs,
    lease_ms: leaseMs,
  };
  await db
    .insertInto('workers')
    .values({ worker_id: facts.workerId, started_at: databaseNowMs, ...report })
    .onConflict((conflict) => conflict.column('worker_id').doUpdateSet(report))
    .execute();
}

/** Takes a worker that ends off the list. */
export async function removeWorker(db: Database, workerId: string): Promise<void> {
  await db.deleteFrom('workers').where('worker_id', '=', workerId).execute();
}

/** Removes workers whose last heartbeat is long ago. */
export async function removeLostWorkers(db: Database): Promise<void> {
  await db
    .deleteFrom('workers')
    .where((where) => where('seen_at', '<', where(databaseNowMs, '-', forgottenAfterMs)))
    .execute();
}

/** All workers, those first that have been there longest. */
export async function listWorkers(db: Database): Promise<ListedWorker[]> {
  const rows = await db
    .selectFrom('workers')
    .selectAll()
    .select(databaseNowMs.as('now'))
    .orderBy('started_at')
    .orderBy('worker_id')
    .execute();
  return rows.map((row) => {
    const now = Number(row.now);
    const seenMsAgo = Math.max(now - Number(row.seen_at), 0);
    return {
      facts: workerFactsSchema.parse(JSON.parse(row.facts)),
      state: row.state === 'stopping' ? 'stopping' : 'working',
      running: z.array(runningTrialSchema).parse(JSON.parse(row.running)),
      notes: z.array(z.string()).parse(JSON.parse(row.notes)),
      upMs: Math.max(now - Number(row.started_at), 0),
      seenMsAgo,
      isLost: seenMsAgo > row.lease_ms,
    };
  });
}
