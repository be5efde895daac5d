import { type Kysely, type Selectable, sql } from 'kysely';
import type { RunHeader, RunStatus } from '../../../domain/run.ts';
import type { FinishedTrial, Store, TrialPageRequest } from '../store.ts';
import { countByCase, countByCell, countByScenario, countTrials } from './counts.ts';
import { PackReader } from './packed-trials.ts';
import { withNamedFailures } from './postgres-failures.ts';
import { readTrialRows } from './read-trials.ts';
import { claimRun, holdersOf, releaseRun, renewClaim, withTrueStatus } from './run-claims.ts';
import { deleteRunsBefore, readRunRows, runOf, runRow } from './run-rows.ts';
import { readAttempts, saveTrials, setAsideErrors } from './save-trials.ts';
import type { SqlEngine } from './sql-engine.ts';
import type { Tables } from './tables.ts';
import { recordOf } from './trial-row.ts';

type Database = Kysely<Tables>;
type TrialRow = Selectable<Tables['trials']>;

/** The store on any SQL engine that Kysely speaks to; the schema must be up to date. */
export function createSqlStore(db: Database, engine: SqlEngine): Store {
  const packs = new PackReader(db);
  const toRecord = async (row: TrialRow) => recordOf(row, await packs.line(Number(row.findings_pack), row.slot));
  const toRecords = async (rows: TrialRow[]) => {
    const records = [];
    for (const row of rows) records.push(await toRecord(row));
    return records;
  };
  return withNamedFailures({
    createRun: async (run) => {
      await db
        .insertInto('runs')
        .values(runRow(run))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    claimRun: (runId, claim) => claimRun(db, engine, runId, claim),
    renewClaim: (runId, claim) => renewClaim(db, engine, runId, claim),
    releaseRun: (runId, claimId, ending) => releaseRun(db, runId, claimId, ending),
    findHolder: async (runId) => (await holdersOf(db, engine, [runId])).get(runId),
    setRunStatus: async (runId: string, status: RunStatus, finishedAt: number | null) => {
      await db.updateTable('runs').set({ status, finished_at: finishedAt }).where('run_id', '=', runId).execute();
    },
    saveTrials: (trials: readonly FinishedTrial[]) => saveTrials(db, engine, trials),
    storedTrialIds: async (trialIds) => {
      if (trialIds.length === 0) return new Set();
      const rows = await db.selectFrom('trials').select('trial_id').where('trial_id', 'in', trialIds).execute();
      return new Set(rows.map((row) => row.trial_id));
    },
    listRuns: async (limit) => {
      const rows = await db
        .selectFrom('runs')
        .selectAll()
        .orderBy('started_at', 'desc')
        .orderBy('run_id', 'desc')
        .limit(limit)
        .execute();
      return withTrueStatus(db, engine, rows.map(runOf));
    },
    readRunRows: (request) => readRunRows(db, engine, request),
    findRun: (idOrPrefix) => findRun(db, engine, idOrPrefix),
    countTrials: (runId) => countTrials(db, runId),
    countByScenario: (runId) => countByScenario(db, runId),
    countByCell: (runId) => countByCell(db, runId),
    countByCase: (runId) => countByCase(db, runId),
    readTrials: async (runId, page) => toRecords(await trialPage(db, runId, page)),
    readTrialRows: (runId, request) => readTrialRows(db, engine.contains, runId, request),
    readProblems: async (runId, limit) => {
      const groups = await problemGroups(db, runId, limit);
      const ordinals = groups.map(({ first }) => Number(first));
      const rows =
        ordinals.length === 0
          ? []
          : await db
              .selectFrom('trials')
              .selectAll()
              .where('run_id', '=', runId)
              .where('ordinal', 'in', ordinals)
              .orderBy('ordinal')
              .execute();
      const records = await toRecords(rows);
      return records.map((first, index) => ({ first, count: Number(groups[index]?.count ?? 1) }));
    },
    findTrialsOfScenario: async (scenario, limit) =>
      toRecords(
        await db
          .selectFrom('trials')
          .selectAll()
          .where('scenario', '=', scenario)
          .orderBy('started_at', 'desc')
          .limit(limit)
          .execute(),
      ),
    findTrial: async (idOrPrefix) => {
      const trials = db.selectFrom('trials').selectAll();
      const row =
        (await trials.where('trial_id', '=', idOrPrefix).executeTakeFirst()) ??
        onlyOne(await trials.where(startsWith('trial_id', idOrPrefix)).limit(2).execute());
      return row && toRecord(row);
    },
    setAsideErrors: (runId) => setAsideErrors(db, runId),
    readAttempts: (trialId) => readAttempts(db, packs, trialId),
    readTrace: async (trialId) => {
      const row = await db
        .selectFrom('trials')
        .select(['trace_pack', 'slot'])
        .where('trial_id', '=', trialId)
        .executeTakeFirst();
      return row && JSON.parse(await packs.line(Number(row.trace_pack), row.slot));
    },
    deleteRunsBefore: (startedAt) => deleteRunsBefore(db, engine, startedAt),
    [Symbol.asyncDispose]: () => db.destroy(),
  });
}

function problemGroups(db: Database, runId: string, limit: number) {
  return db
    .selectFrom('trials')
    .select(({ fn }) => [fn.min('ordinal').as('first'), fn.countAll().as('count')])
    .where('run_id', '=', runId)
    .where('outcome', 'in', ['fail', 'error'])
    .groupBy(['file', 'scenario', 'outcome', 'reason'])
    .orderBy('first')
    .limit(limit)
    .execute();
}

async function findRun(db: Database, engine: SqlEngine, idOrPrefix: string): Promise<RunHeader | undefined> {
  const runs = db.selectFrom('runs').selectAll();
  const counted = /^latest(?:~(\d{1,6}))?$/.exec(idOrPrefix);
  const row = counted
    ? await runs
        .orderBy('started_at', 'desc')
        .orderBy('run_id', 'desc')
        .limit(1)
        .offset(Number(counted[1] ?? 0))
        .executeTakeFirst()
    : ((await runs.where('run_id', '=', idOrPrefix).executeTakeFirst()) ??
      onlyOne(await runs.where(startsWith('run_id', idOrPrefix)).limit(2).execute()));
  return row && (await withTrueStatus(db, engine, [runOf(row)]))[0];
}

function trialPage(db: Database, runId: string, page: TrialPageRequest): Promise<TrialRow[]> {
  let query = db.selectFrom('trials').selectAll().where('run_id', '=', runId);
  if (page.after !== undefined) query = query.where('ordinal', '>', page.after);
  if (page.outcomes) query = query.where('outcome', 'in', page.outcomes);
  return query.orderBy('ordinal').limit(page.limit).execute();
}

/** Case-sensitive on every engine, unlike LIKE, and safe for ids with `_` in them. */
function startsWith(column: 'run_id' | 'trial_id', prefix: string) {
  const [id, characters, end] = [sql.ref(column), Array.from(prefix).length, `${prefix}\u{10ffff}`];
  // The bounds are what an index can find; the last word is to be exact.
  return sql<boolean>`${id} >= ${prefix} and ${id} < ${end} and substr(${id}, 1, ${characters}) = ${prefix}`;
}

function onlyOne<Row>(rows: readonly Row[]): Row | undefined {
  return rows.length === 1 ? rows[0] : undefined;
}
