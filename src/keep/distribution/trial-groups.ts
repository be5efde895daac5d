import { type Kysely, sql, type Transaction } from 'kysely';
import { contentKey, sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { Tables } from '../store/sql/tables.ts';
import { type Limits, lacking, type Needs, type QueuedTrial, type TrialGroup } from './distribution.ts';
import { jobTable, queueSchema, type WorkDatabase } from './work-database.ts';
import type { ListedWorker } from './workers.ts';

type Database = Kysely<Tables>;

/** How many trials of a group are where. */
interface GroupCounts {
  readonly waiting: number;
  readonly running: number;
  readonly lost: number;
  readonly done: number;
}

/** The counts of groups, by their ids; a group without any job is left out. */
export async function countJobs(db: Database, groups: readonly string[]): Promise<ReadonlyMap<string, GroupCounts>> {
  if (groups.length === 0) return new Map();
  const { rows } = await sql<Record<'name' | keyof GroupCounts, string>>`
    select name,
      count(*) filter (where state < 'active') as waiting,
      count(*) filter (where state = 'active') as running,
      count(*) filter (where state = 'failed') as lost,
      count(*) filter (where state in ('completed', 'cancelled')) as done
    from ${jobTable} where name = any(${groups}) group by name`.execute(db);
  return new Map(
    rows.map(({ name, waiting, running, lost, done }) => [
      name,
      { waiting: Number(waiting), running: Number(running), lost: Number(lost), done: Number(done) },
    ]),
  );
}

/** Removes the jobs of queues that are about to be deleted. */
async function deleteJobs(db: Database, groups: readonly string[]): Promise<void> {
  await sql`delete from ${jobTable} where name = any(${groups})`.execute(db);
}

/** Lets the database know how large the queues are, without which it sorts all that waits for every lease. */
async function analyzeJobs(db: Database): Promise<void> {
  await sql`analyze ${jobTable}`.execute(db);
}

/** The group of trials of a run with these needs and limits: the same for every coordinator of the run. */
export function groupOf(runId: string, needs: Needs, limits: Limits): TrialGroup {
  const sorted: Needs = {
    tags: [...needs.tags].sort(),
    agents: [...needs.agents].sort(),
    env: [...needs.env].sort(),
    protocol: needs.protocol,
  };
  const groupId = `${runId}/${contentKey([canonicalJson(sorted), canonicalJson(limits)])}`;
  return { groupId, runId, needs: sorted, limits };
}

/** Makes the queue of a group, unless it is there. */
export async function createGroup(work: WorkDatabase, group: TrialGroup, attempts: number): Promise<void> {
  await changingQueues(work.db, async (transaction) => {
    const options = JSON.stringify({ policy: 'standard', retryLimit: attempts - 1 });
    await sql`select ${sql.ref(`${queueSchema}.create_queue`)}(${group.groupId}, ${options}::json)`.execute(
      transaction,
    );
    await transaction
      .insertInto('work_groups')
      .values({
        group_id: group.groupId,
        run_id: group.runId,
        needs: JSON.stringify(group.needs),
        limits: JSON.stringify(group.limits),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/** Lets trials wait in the queue of their group; one that is there already stays as it is. */
export async function enqueueTrials(
  { boss }: WorkDatabase,
  { groupId }: TrialGroup,
  trials: readonly QueuedTrial[],
): Promise<void> {
  // Places follow the declaration of the variants; whose turn it is, is by chance, as the plan has it.
  const turns = trials.map(({ ordinal }) => ordinal).sort((one, other) => one - other);
  await boss.insert(
    trials.map((trial, index) => ({
      id: jobIdOf(trial),
      name: groupId,
      data: trial,
      // In the order of the plan, and all of them before those that are tried again.
      startAfter: new Date(firstTurn + (turns[index] ?? trial.ordinal)).toISOString(),
      keepUntil: farAway,
    })),
  );
}

/** To be called after many trials were added. */
export async function settleQueues({ db }: WorkDatabase): Promise<void> {
  await analyzeJobs(db);
}

/** Removes the queues of a run that has ended; one that was opened again meanwhile keeps them. */
export async function deleteGroups({ db }: WorkDatabase, runId: string): Promise<void> {
  await changingQueues(db, async (transaction) => {
    const rows = await transaction
      .selectFrom('work_groups')
      .innerJoin('work_runs', 'work_runs.run_id', 'work_groups.run_id')
      .select('group_id')
      .where('work_runs.run_id', '=', runId)
      .where('ended_at', 'is not', null)
      .execute();
    const groups = rows.map(({ group_id }) => group_id);
    if (groups.length === 0) return;
    await deleteJobs(transaction, groups);
    for (const groupId of groups) {
      await sql`select ${sql.ref(`${queueSchema}.delete_queue`)}(${groupId})`.execute(transaction);
    }
    await transaction.deleteFrom('work_groups').where('group_id', 'in', groups).execute();
  });
}

/** Making and removing queues locks tables in orders that do not go together, so it is done by one at a time. */
async function changingQueues(db: Kysely<Tables>, change: (transaction: Transaction<Tables>) => Promise<void>) {
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${queueSchema}, 0))`.execute(transaction);
    await change(transaction);
  });
}

const firstTurn = Date.UTC(2000, 0, 1);
const farAway = '9999-01-01T00:00:00Z';

/** The same for every coordinator, so a trial is queued once however often it is added. */
export function jobIdOf({ trialId, ordinal }: Pick<QueuedTrial, 'trialId' | 'ordinal'>): string {
  const hex = sha256(trialId);
  const place = ordinal.toString(16).padStart(8, '0');
  return [place, hex.slice(0, 4), hex.slice(4, 8), hex.slice(8, 12), hex.slice(12, 24)].join('-');
}

/** Queued trials that no worker can run. */
export interface UnservedGroup {
  readonly runId: string;
  readonly groupId: string;
  readonly message: string;
}

export function reason(needs: Needs, workers: readonly ListedWorker[]): string {
  if (workers.length === 0) return 'there is no worker; start one with `assay queue worker`.';
  const wanted = lacking(needs, { tags: [], agents: [], env: [], protocol: 0 }).join(', ');
  const nearest = workers
    .map(({ facts }) => ({ facts, missing: lacking(needs, facts) }))
    .sort((one, other) => one.missing.length - other.missing.length)[0];
  return `they need ${wanted}; the worker that comes nearest, ${nearest?.facts.workerId}, lacks ${nearest?.missing.join(', ')}.`;
}
