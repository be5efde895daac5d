import {
  type Expression,
  type ExpressionBuilder,
  type Insertable,
  type Kysely,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import * as z from 'zod';
import { type Experiment, experimentSchema } from '../../../domain/experiment.ts';
import { type HookProblem, hookProblemSchema } from '../../../domain/hook-problem.ts';
import {
  changedLabels,
  noTrials,
  type RunHeader,
  type RunLabelChange,
  type RunScenario,
  type RunSpending,
  type RunStatus,
  type RunWait,
  runLabelsSchema,
  runRequestSchema,
  runScenarioSchema,
  runSourceSchema,
  runSpendingSchema,
  runStatusSchema,
  runWaitSchema,
  withHookProblems,
  withWaits,
} from '../../../domain/run.ts';
import { lazySchema } from '../../../shared/lazy-schema.ts';
import type { Page, RunRow, RunRowRequest } from '../store.ts';
import { countTrialsOfRuns } from './counts.ts';
import { onlyOne, startsWith } from './find-trials.ts';
import { readCursor, type TextSearch, writeCursor } from './read-trials.ts';
import { changeRun, checkedRun, runChecksum } from './run-checksum.ts';
import { holdersOf, withTrueStatus } from './run-claims.ts';
import type { SqlEngine } from './sql-engine.ts';
import type { Tables } from './tables.ts';
import { storable } from './trial-row.ts';
import { editedRequest } from './trials-of-scenario.ts';

type Database = Kysely<Tables>;
type SelectedRun = Selectable<Tables['runs']>;

/** Stores a run; one that is stored already is left as it is. */
export async function createRun(db: Database, run: RunHeader): Promise<void> {
  await db
    .insertInto('runs')
    .values(runRow(run))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function setRunStatus(
  db: Database,
  runId: string,
  status: RunStatus,
  finishedAt: number | null,
): Promise<void> {
  await changeRun(db, { runId }, () => ({ status, finished_at: finishedAt }));
}

export async function addWaits(db: Database, runId: string, waits: readonly RunWait[]): Promise<void> {
  await extendRun(db, runId, (run) => ({ waits: JSON.stringify(withWaits(run, waits).waits ?? []) }));
}

export async function addHookProblems(db: Database, runId: string, problems: readonly HookProblem[]): Promise<void> {
  await extendRun(db, runId, (run) => ({
    hook_problems: JSON.stringify(withHookProblems(run, problems).hookProblems ?? []),
  }));
}

export async function setSpending(db: Database, runId: string, spending: RunSpending): Promise<void> {
  await extendRun(db, runId, () => ({ spending: JSON.stringify(spending) }));
}

export async function addEarlyLook(db: Database, runId: string, trials: number): Promise<void> {
  await extendRun(db, runId, ({ earlyLooks = [] }) => ({
    early_looks: JSON.stringify([...new Set([...earlyLooks, trials])]),
  }));
}

export async function addStop(db: Database, runId: string, reason: string): Promise<void> {
  await extendRun(db, runId, ({ stops = [] }) => ({ stops: JSON.stringify([...new Set([...stops, reason])]) }));
}

export async function setExperiment(
  db: Database,
  runId: string,
  planned: number,
  experiment: Experiment,
): Promise<void> {
  await changeRun(db, { runId }, () => ({ planned, experiment: JSON.stringify(experiment) }));
}

export async function growRun(
  db: Database,
  runId: string,
  planned: number,
  scenarios: readonly RunScenario[],
): Promise<void> {
  await changeRun(db, { runId }, () => ({ planned, scenarios: JSON.stringify(scenarios) }));
}

/** The name is an option of the run; a change of it is written there. */
export function labelRun(db: Database, runId: string, change: RunLabelChange): Promise<boolean> {
  return extendRun(db, runId, ({ request, labels = {} }) => {
    const { name: earlier, ...options } = request;
    const name = change.name ?? earlier ?? '';
    return {
      request: JSON.stringify(name === '' ? options : { ...options, name }),
      labels: JSON.stringify(changedLabels(labels, change)),
    };
  });
}

type ExtendedColumn = 'waits' | 'hook_problems' | 'early_looks' | 'stops' | 'spending' | 'request' | 'labels';

/** False where there is no such run. */
function extendRun(
  db: Database,
  runId: string,
  extended: (run: RunHeader) => { readonly [Column in ExtendedColumn]?: string },
): Promise<boolean> {
  return changeRun(db, { runId }, (row) => extended(runOf(row)));
}

/** Labels are stored as `JSON.stringify` writes them, so no text of a user can look like this. */
const archived = '%"isArchived":true%';

/** The newest runs first. */
export async function listRuns(db: Database, engine: SqlEngine, limit: number): Promise<RunHeader[]> {
  const rows = await newestFirst(db).limit(limit).execute();
  return withTrueStatus(db, engine, rows.map(runOf));
}

/** Requests are stored as `JSON.stringify` writes them, so no text of a user can look like this. */
const madeElsewhere = '%"origin":{"kind":%';

/** The newest runs that have ended and ran a scenario themselves; found by their counts, so no trial is read. */
export async function listRunsOfScenario(
  db: Database,
  engine: SqlEngine,
  scenario: string,
  limit: number,
): Promise<RunHeader[]> {
  const rows = await newestFirst(db)
    .where('finished_at', 'is not', null)
    .where('request', 'not like', madeElsewhere)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('trial_counts')
          .select('scenario')
          .whereRef('trial_counts.run_id', '=', 'runs.run_id')
          .where('scenario', '=', storable(scenario)),
      ),
    )
    .limit(limit)
    .execute();
  return withTrueStatus(db, engine, rows.map(runOf));
}

/**
 * By id or by an unambiguous beginning of it; `latest` is the newest run, `latest~1` the one before. Runs of edited input
 * and archived runs are found by their id only.
 */
export async function findRun(db: Database, engine: SqlEngine, idOrPrefix: string): Promise<RunHeader | undefined> {
  const runs = db.selectFrom('runs').selectAll();
  const counted = /^latest(?:~(\d{1,6}))?$/.exec(idOrPrefix);
  const row = counted
    ? await newestFirst(db)
        .where('request', 'not like', editedRequest)
        .where(isNotArchived)
        .limit(1)
        .offset(Number(counted[1] ?? 0))
        .executeTakeFirst()
    : ((await runs.where('run_id', '=', idOrPrefix).executeTakeFirst()) ??
      onlyOne(await runs.where(startsWith('run_id', idOrPrefix)).limit(2).execute()));
  return row && (await withTrueStatus(db, engine, [runOf(row)]))[0];
}

function newestFirst(db: Database): SelectQueryBuilder<Tables, 'runs', SelectedRun> {
  return db.selectFrom('runs').selectAll().orderBy('started_at', 'desc').orderBy('run_id', 'desc');
}

function isNotArchived({ or, eb }: ExpressionBuilder<Tables, 'runs'>): Expression<SqlBool> {
  return or([eb('labels', 'is', null), eb('labels', 'not like', archived)]);
}

type Place = readonly [startedAt: number, runId: string];

const placeSchema = z.tuple([z.number(), z.string()]);

/** A page of the list of runs, the newest first, with their counts. */
export async function readRunRows(db: Database, engine: SqlEngine, request: RunRowRequest): Promise<Page<RunRow>> {
  const { limit, cursor } = request;
  const query = filteredRuns(db, engine.contains, request);
  const found: RunHeader[] = [];
  let place = cursor === undefined ? undefined : readCursor(cursor, placeSchema);
  // The engine finds candidates: names in a document may look different there, and texts of other fields alike.
  for (let isEnd = false; found.length <= limit && !isEnd; ) {
    const rows = await after(query, place)
      .limit(limit + 1)
      .execute();
    const runs = await withTrueStatus(db, engine, rows.map(runOf));
    found.push(...runs.filter((run) => isWanted(run, request)));
    const last = rows.at(-1);
    isEnd = rows.length <= limit || !last;
    place = last && [Number(last.started_at), last.run_id];
  }
  const runs = found.slice(0, limit);
  const ids = runs.map(({ runId }) => runId);
  const counts = await countTrialsOfRuns(db, ids);
  const last = runs.at(-1);
  return {
    items: runs.map((run) => ({ run, counts: counts.get(run.runId) ?? noTrials })),
    next: found.length > limit && last ? writeCursor([last.startedAt, last.runId]) : null,
  };
}

/** How many runs there are, by whether they are archived. */
export async function countRuns(db: Database, isArchived: boolean | undefined): Promise<number> {
  const { count } = await ofArchive(
    db.selectFrom('runs').select(({ fn }) => fn.countAll().as('count')),
    isArchived,
  ).executeTakeFirstOrThrow();
  return Number(count);
}

function ofArchive<Selected>(
  query: SelectQueryBuilder<Tables, 'runs', Selected>,
  isArchived: boolean | undefined,
): SelectQueryBuilder<Tables, 'runs', Selected> {
  if (isArchived === undefined) return query;
  return isArchived ? query.where('labels', 'like', archived) : query.where(isNotArchived);
}

function filteredRuns(
  db: Database,
  search: TextSearch,
  { status, since, text, isArchived }: RunRowRequest,
): SelectQueryBuilder<Tables, 'runs', SelectedRun> {
  let query = ofArchive(db.selectFrom('runs').selectAll(), isArchived);
  // A run marked as running may have been interrupted.
  if (status !== undefined) query = query.where('status', 'in', [status, 'running']);
  if (since !== undefined) query = query.where('started_at', '>=', since);
  if (text) {
    const inJson = JSON.stringify(text).slice(1, -1);
    query = query.where(({ or, ref }) =>
      or([
        search(ref('run_id'), text),
        ...(['request', 'scenarios', 'labels', 'source'] as const).map((column) => search(ref(column), inJson)),
      ]),
    );
  }
  return query.orderBy('started_at', 'desc').orderBy('run_id', 'desc');
}

function after(query: SelectQueryBuilder<Tables, 'runs', SelectedRun>, place: Place | undefined): typeof query {
  if (!place) return query;
  return query.where(sql<boolean>`(started_at, run_id) < (${place[0]}, ${place[1]})`);
}

function isWanted(run: RunHeader, { status, text }: RunRowRequest): boolean {
  return (status === undefined || run.status === status) && (!text || hasText(run, text));
}

function hasText({ runId, request, scenarios, labels = {}, source }: RunHeader, text: string): boolean {
  const wanted = text.toLowerCase();
  const { tags = [], notes = '' } = labels;
  const origin = source ? [source.commit, source.branch ?? '', source.author ?? ''] : [];
  const ofScenarios = scenarios.flatMap(({ name, file }) => [name, file]);
  const texts = [runId, request.name ?? '', ...tags, notes, ...origin, ...ofScenarios];
  return texts.some((one) => one.toLowerCase().includes(wanted));
}

const tablesOfRuns = [
  'trials',
  'trial_attempts',
  'trial_counts',
  'packs',
  'run_summaries',
  'run_controls',
  'run_pins',
  'runs',
] as const;

/** Bytes of the packs of each run. */
export async function readRunSizes(db: Database): Promise<ReadonlyMap<string, number>> {
  const bytes = sql<number | string>`sum(length(body))`.as('bytes');
  const rows = await db.selectFrom('packs').select(['run_id', bytes]).groupBy('run_id').execute();
  return new Map(rows.map((row) => [row.run_id, Number(row.bytes)]));
}

/** Removes runs; one with a live process stays. Gives the ids of those that were there. */
export async function deleteRuns(db: Database, engine: SqlEngine, runIds: readonly string[]): Promise<string[]> {
  const removed: string[] = [];
  for (const runId of runIds) if (await deleteRun(db, engine, runId)) removed.push(runId);
  return removed;
}

function deleteRun(db: Database, engine: SqlEngine, runId: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    // A process that claims the run at the same time waits here, and then finds no claim to replace.
    await transaction.updateTable('run_processes').set({ run_id: runId }).where('run_id', '=', runId).execute();
    if ((await holdersOf(transaction, engine, [runId])).has(runId)) return false;
    await transaction.deleteFrom('run_processes').where('run_id', '=', runId).execute();
    const found = await transaction.selectFrom('runs').select('run_id').where('run_id', '=', runId).executeTakeFirst();
    for (const table of tablesOfRuns) await transaction.deleteFrom(table).where('run_id', '=', runId).execute();
    return found !== undefined;
  });
}

/** Columns that hold JSON or null, by the fields of a run that they keep. */
const jsonColumns = {
  waits: ['waits', lazySchema(() => z.array(runWaitSchema))],
  hookProblems: ['hook_problems', lazySchema(() => z.array(hookProblemSchema))],
  experiment: ['experiment', experimentSchema],
  earlyLooks: ['early_looks', lazySchema(() => z.array(z.number()))],
  stops: ['stops', lazySchema(() => z.array(z.string()))],
  spending: ['spending', runSpendingSchema],
  labels: ['labels', runLabelsSchema],
  source: ['source', runSourceSchema],
} as const satisfies { readonly [Field in keyof RunHeader]?: readonly [keyof SelectedRun, z.ZodType] };
type JsonField = keyof typeof jsonColumns;
type JsonColumn = (typeof jsonColumns)[JsonField][0];
const jsonFields = Object.keys(jsonColumns) as JsonField[];
const scenariosSchema = lazySchema(() => z.array(runScenarioSchema));

/** A run as a row. */
function runRow(run: RunHeader): Insertable<Tables['runs']> {
  const json = jsonFields.map((field) => [jsonColumns[field][0], run[field] ? JSON.stringify(run[field]) : null]);
  const content = {
    run_id: run.runId,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    status: run.status,
    planned: run.planned,
    assay_version: run.assayVersion,
    request: JSON.stringify(run.request),
    scenarios: JSON.stringify(run.scenarios),
    paused_ms: run.pausedMs ?? 0,
    ...(Object.fromEntries(json) as Record<JsonColumn, string | null>),
  };
  return { ...content, checksum: runChecksum(content) };
}

/** The run of a row; refuses what is not as it was written. */
function runOf(stored: SelectedRun): RunHeader {
  const row = checkedRun(stored);
  const json = jsonFields.flatMap((field) => {
    const [column, schema] = jsonColumns[field];
    const text = row[column];
    return text === null ? [] : [[field, schema.parse(JSON.parse(text))]];
  });
  return {
    runId: row.run_id,
    startedAt: Number(row.started_at),
    finishedAt: row.finished_at === null ? null : Number(row.finished_at),
    status: runStatusSchema.parse(row.status),
    planned: row.planned,
    assayVersion: row.assay_version,
    request: runRequestSchema.parse(JSON.parse(row.request)),
    scenarios: scenariosSchema.parse(JSON.parse(row.scenarios)),
    ...(Number(row.paused_ms) > 0 && { pausedMs: Number(row.paused_ms) }),
    ...(Object.fromEntries(json) as Pick<RunHeader, JsonField>),
  };
}
