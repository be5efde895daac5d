import { type Kysely, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { TrialRecord } from '../../../domain/record.ts';
import type { Trace } from '../../../domain/trace.ts';
import type { CaseOfScenario, ProblemGroup, TracePlace, TrialPageRequest } from '../store.ts';
import { ordinalsOfScenarios } from './counts.ts';
import type { PackReader } from './packed-trials.ts';
import type { SqlEngine } from './sql-engine.ts';
import type { Tables } from './tables.ts';
import { type CheckedTrial, checkedTrial, hasOutcome, recordOf, storable } from './trial-row.ts';
import { newestOfScenario } from './trials-of-scenario.ts';

type Database = Kysely<Tables>;
type TrialRow = Selectable<Tables['trials']>;
type TrialQuery = SelectQueryBuilder<Tables, 'trials', object>;

/** Those of the given trials that are stored. */
export async function storedTrialIds(db: Database, trialIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (trialIds.length === 0) return new Set();
  const rows = await db.selectFrom('trials').select('trial_id').where('trial_id', 'in', trialIds).execute();
  return new Set(rows.map((row) => row.trial_id));
}

/** Trials of a run in plan order. */
export async function readTrialPage(
  db: Database,
  packs: PackReader,
  runId: string,
  page: TrialPageRequest,
  read: SqlEngine['readTrials'],
): Promise<TrialRecord[]> {
  let query: TrialQuery = db.selectFrom('trials').where('run_id', '=', runId);
  if (page.after !== undefined) query = query.where('ordinal', '>', page.after);
  if (page.outcomes) query = query.where(hasOutcome(page.outcomes));
  if (page.cases) {
    const scenarios = [...new Set(page.cases.map(({ scenario }) => storable(scenario)))];
    // Their trials lie side by side: what lies elsewhere need not be read to be left out.
    const [first, last] = (await ordinalsOfScenarios(db, runId, scenarios)) ?? [0, -1];
    query = query.where('ordinal', '>=', first).where('ordinal', '<=', last).where(isOneOf(page.cases));
  }
  return recordsOf(packs, await read(query.orderBy('ordinal').limit(page.limit)));
}

function isOneOf(cases: readonly CaseOfScenario[]) {
  const rows = cases.map(({ scenario, caseId }) => sql`(${storable(scenario)}, ${storable(caseId)})`);
  return sql<boolean>`(scenario, case_id) in (values ${sql.join(rows)})`;
}

/** Trials that did not pass, grouped; the first of each group stands for it. */
export async function readProblems(
  db: Database,
  packs: PackReader,
  runId: string,
  limit: number,
): Promise<ProblemGroup[]> {
  const groups = await problemGroups(db, runId, limit);
  if (groups.length === 0) return [];
  const ordinals = groups.map(({ first }) => Number(first));
  const rows = await db
    .selectFrom('trials')
    .selectAll()
    .where('run_id', '=', runId)
    .where('ordinal', 'in', ordinals)
    .orderBy('ordinal')
    .execute();
  const records = await recordsOf(packs, checked(rows));
  return records.map((first, index) => ({ first, count: Number(groups[index]?.count ?? 1) }));
}

/** The newest trials of scenarios with this name, newest first; none with an edited input. */
export async function findTrialsOfScenario(
  db: Database,
  packs: PackReader,
  scenario: string,
  limit: number,
): Promise<TrialRecord[]> {
  const trialIds = await newestOfScenario(db, scenario, limit);
  if (trialIds.length === 0) return [];
  const rows = await db.selectFrom('trials').selectAll().where('trial_id', 'in', trialIds).execute();
  const places = new Map(trialIds.map((trialId, place) => [trialId, place]));
  const placeOf = ({ trial_id }: TrialRow): number => places.get(trial_id) ?? 0;
  return recordsOf(packs, checked(rows.sort((one, other) => placeOf(one) - placeOf(other))));
}

/** By id, or by an unambiguous beginning of it. */
export async function findTrial(db: Database, packs: PackReader, idOrPrefix: string): Promise<TrialRecord | undefined> {
  const trials = db.selectFrom('trials').selectAll();
  const row =
    (await trials.where('trial_id', '=', idOrPrefix).executeTakeFirst()) ??
    onlyOne(await trials.where(startsWith('trial_id', idOrPrefix)).limit(2).execute());
  return row && (await recordsOf(packs, checked([row])))[0];
}

export async function readTrace(db: Database, packs: PackReader, trialId: string): Promise<Trace | undefined> {
  const place = (await locateTraces(db, [trialId])).get(trialId);
  return place && readTraceAt(packs, place);
}

export async function locateTraces(
  db: Database,
  trialIds: readonly string[],
): Promise<ReadonlyMap<string, TracePlace>> {
  if (trialIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('trials')
    .select(['trial_id', 'trace_pack', 'slot'])
    .where('trial_id', 'in', trialIds)
    .execute();
  return new Map(rows.map(({ trial_id, trace_pack, slot }) => [trial_id, { pack: Number(trace_pack), slot }]));
}

export async function readTraceAt(packs: PackReader, { pack, slot }: TracePlace): Promise<Trace> {
  return JSON.parse(await packs.line(pack, slot));
}

/** Case-sensitive on every engine, unlike LIKE, and safe for ids with `_` in them. */
export function startsWith(column: 'run_id' | 'trial_id', prefix: string) {
  const [id, characters, end] = [sql.ref(column), Array.from(prefix).length, `${prefix}\u{10ffff}`];
  // The bounds are what an index can find; the last word is to be exact.
  return sql<boolean>`${id} >= ${prefix} and ${id} < ${end} and substr(${id}, 1, ${characters}) = ${prefix}`;
}

export function onlyOne<Row>(rows: readonly Row[]): Row | undefined {
  return rows.length === 1 ? rows[0] : undefined;
}

function problemGroups(db: Database, runId: string, limit: number) {
  return db
    .selectFrom('trials')
    .select(({ fn }) => [fn.min('ordinal').as('first'), fn.countAll().as('count')])
    .where('run_id', '=', runId)
    .where(hasOutcome(['fail', 'error']))
    .groupBy(['file', 'scenario', 'outcome', 'reason'])
    .orderBy('first')
    .limit(limit)
    .execute();
}

/** One after the other: neighbours share a pack, which is unpacked once. */
async function recordsOf(packs: PackReader, trials: readonly CheckedTrial[]): Promise<TrialRecord[]> {
  const records = [];
  for (const trial of trials) records.push(recordOf(trial, await packs.line(trial.findingsPack, trial.slot)));
  return records;
}

function checked(rows: readonly TrialRow[]): CheckedTrial[] {
  return rows.map((row) => checkedTrial(row));
}
