import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

type Database = Kysely<Tables>;

/** Requests are stored as `JSON.stringify` writes them, so no text of a user can look like this. */
export const editedRequest = '%"origin":{"kind":"edit"%';

interface StartedTrial {
  readonly trialId: string;
  readonly startedAt: number;
}

/**
 * Ids of the newest trials of scenarios with this name, newest first; none with an edited input. Runs are looked through
 * from the last that ended: no trial began after the end of its run.
 */
export async function newestOfScenario(db: Database, scenario: string, limit: number): Promise<string[]> {
  let newest: readonly StartedTrial[] = [];
  for (const run of await runsWith(db, scenario)) {
    const oldest = newest[limit - 1];
    if (oldest && run.finishedAt !== null && run.finishedAt < oldest.startedAt) break;
    newest = [...newest, ...(await startedIn(db, run, scenario, limit))]
      .sort((one, other) => other.startedAt - one.startedAt)
      .slice(0, limit);
  }
  return newest.map(({ trialId }) => trialId);
}

interface RunWithScenario {
  readonly runId: string;
  /** Null while it goes on. */
  readonly finishedAt: number | null;
  readonly first: number;
  readonly last: number;
}

/** Those that go on first, then the last that ended. */
async function runsWith(db: Database, scenario: string): Promise<RunWithScenario[]> {
  const edited = db.selectFrom('runs').select('run_id').where('request', 'like', editedRequest);
  const rows = await db
    .selectFrom('trial_counts')
    .leftJoin('runs', 'runs.run_id', 'trial_counts.run_id')
    .select(['trial_counts.run_id as runId', 'finished_at as finishedAt'])
    .select(({ fn }) => [fn.min('first_ordinal').as('first'), fn.max('last_ordinal').as('last')])
    .where('trial_counts.scenario', '=', scenario)
    .where('trial_counts.run_id', 'not in', edited)
    .groupBy(['trial_counts.run_id', 'finished_at'])
    .execute();
  const runs = rows.map(({ runId, finishedAt, first, last }) => ({
    runId,
    finishedAt: finishedAt === null ? null : Number(finishedAt),
    first: Number(first),
    last: Number(last),
  }));
  const end = ({ finishedAt }: RunWithScenario): number => finishedAt ?? Number.POSITIVE_INFINITY;
  return runs.sort((one, other) => (end(one) === end(other) ? 0 : end(other) - end(one)));
}

async function startedIn(
  db: Database,
  { runId, first, last }: RunWithScenario,
  scenario: string,
  limit: number,
): Promise<StartedTrial[]> {
  const rows = await db
    .selectFrom('trials')
    .select(['trial_id as trialId', 'started_at as startedAt'])
    .where('run_id', '=', runId)
    .where('ordinal', '>=', first)
    .where('ordinal', '<=', last)
    .where('scenario', '=', scenario)
    .orderBy('started_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ trialId, startedAt }) => ({ trialId, startedAt: Number(startedAt) }));
}
