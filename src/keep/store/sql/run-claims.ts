import { type Kysely, sql } from 'kysely';
import type { RunHeader } from '../../../domain/run.ts';
import { processExists } from '../../../shared/processes/own-process.ts';
import type { RunClaim, RunEnding, RunHolder } from '../store.ts';
import { changeRun } from './run-checksum.ts';
import { withControls } from './run-controls.ts';
import type { SqlEngine } from './sql-engine.ts';
import type { Tables } from './tables.ts';

type Database = Kysely<Tables>;

/** The process that claimed a run last, and whether it still runs it. */
interface LastClaim {
  readonly holder: Extract<RunHolder, { kind: 'process' }>;
  readonly isAlive: boolean;
}

/** The process that runs each run; runs without one are left out. */
export async function holdersOf(
  db: Database,
  engine: SqlEngine,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, RunHolder>> {
  const holders = new Map<string, RunHolder>();
  for (const runId of await sharedRuns(db, runIds)) holders.set(runId, { kind: 'workers' });
  for (const [runId, { holder, isAlive }] of await lastClaims(db, engine, runIds)) {
    if (isAlive) holders.set(runId, holder);
  }
  return holders;
}

/** Runs with the status that they have: one without a process or workers was interrupted, whatever was written last. */
export async function withTrueStatus(
  db: Database,
  engine: SqlEngine,
  runs: readonly RunHeader[],
): Promise<RunHeader[]> {
  const running = runs.flatMap(({ runId, status }) => (status === 'running' ? [runId] : []));
  if (running.length === 0) return withControls(db, engine, runs);
  const claims = await lastClaims(db, engine, running);
  const dead = running.filter((runId) => claims.get(runId)?.isAlive !== true);
  const shared = new Set(await sharedRuns(db, dead));
  const isOver = (runId: string): boolean => dead.includes(runId) && !shared.has(runId);
  const stated = runs.map((run) => (isOver(run.runId) ? { ...run, status: 'interrupted' as const } : run));
  return withControls(db, engine, stated);
}

/** Takes a run over unless a process runs it; only one of several succeeds, because each replaces the claim it saw. */
export async function claimRun(
  db: Database,
  engine: SqlEngine,
  runId: string,
  claim: RunClaim,
): Promise<RunHolder | undefined> {
  for (;;) {
    const last = (await lastClaims(db, engine, [runId])).get(runId);
    if (last?.isAlive) return last.holder;
    if (!claim.isShared && (await sharedRuns(db, [runId])).length > 0) return { kind: 'workers' };
    if (await replaceClaim(db, engine, runId, claim, last?.holder.claimId)) return undefined;
  }
}

/**
 * Each step is one statement: between the statements of a transaction, another connection of the same process would
 * wait for the lock and keep this one from going on.
 */
async function replaceClaim(
  db: Database,
  engine: SqlEngine,
  runId: string,
  { claimId, leaseMs, host, machine, pid, processStart }: RunClaim,
  replaced: string | undefined,
): Promise<boolean> {
  const values = {
    ...{ claim_id: claimId, host, machine, pid, process_start: processStart },
    claimed_at: engine.now(),
    expires_at: later(engine, leaseMs),
  };
  const changed =
    replaced === undefined
      ? await db
          .insertInto('run_processes')
          .values({ run_id: runId, ...values })
          .onConflict((conflict) => conflict.doNothing())
          .returning('run_id')
          .execute()
      : await db
          .updateTable('run_processes')
          .set(values)
          .where('run_id', '=', runId)
          .where('claim_id', '=', replaced)
          .returning('run_id')
          .execute();
  if (changed.length === 0) return false;
  const now = Date.now();
  await changeRun(db, { runId, claimId }, ({ finished_at, paused_ms }) => ({
    status: 'running',
    finished_at: null,
    paused_ms: Number(paused_ms) + (finished_at === null ? 0 : Math.max(0, now - Number(finished_at))),
  }));
  return true;
}

/** Extends the lease of a claim. */
export async function renewClaim(
  db: Database,
  engine: SqlEngine,
  runId: string,
  { claimId, leaseMs }: Pick<RunClaim, 'claimId' | 'leaseMs'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('run_processes')
    .set({ expires_at: later(engine, leaseMs) })
    .where('run_id', '=', runId)
    .where('claim_id', '=', claimId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a claim, and before it the run where it has an ending; no other process can take the run in between. */
export async function releaseRun(db: Database, runId: string, claimId: string, ending?: RunEnding): Promise<boolean> {
  if (ending) {
    const { status, finishedAt } = ending;
    await changeRun(db, { runId, claimId }, () => ({ status, finished_at: finishedAt }));
  }
  const { numDeletedRows } = await db
    .deleteFrom('run_processes')
    .where('run_id', '=', runId)
    .where('claim_id', '=', claimId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

async function lastClaims(
  db: Database,
  engine: SqlEngine,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, LastClaim>> {
  if (runIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('run_processes')
    .selectAll()
    .select(engine.now().as('now'))
    .where('run_id', 'in', runIds)
    .execute();
  return new Map(
    rows.map((row) => {
      const { host, machine, pid, process_start: processStart, claim_id: claimId } = row;
      const since = Number(row.claimed_at);
      const holder = { kind: 'process', claimId, since, host, machine, pid, processStart } as const;
      const hasLease = Number(row.expires_at) > Number(row.now);
      return [row.run_id, { holder, isAlive: isAlive(holder, hasLease) }];
    }),
  );
}

/**
 * On its own machine a process is there or not, however long it was stopped. Elsewhere its lease decides, and in this
 * process as well, which outlives the runs that it holds.
 */
function isAlive(holder: LastClaim['holder'], hasLease: boolean): boolean {
  const exists = processExists(holder);
  return exists === undefined || (exists && holder.pid === process.pid) ? hasLease : exists;
}

async function sharedRuns(db: Database, runIds: readonly string[]): Promise<string[]> {
  if (runIds.length === 0) return [];
  const rows = await db
    .selectFrom('work_runs')
    .select('run_id')
    .where('run_id', 'in', runIds)
    .where('ended_at', 'is', null)
    .execute();
  return rows.map(({ run_id }) => run_id);
}

function later(engine: SqlEngine, leaseMs: number) {
  return sql<number>`${engine.now()} + ${leaseMs}`;
}
