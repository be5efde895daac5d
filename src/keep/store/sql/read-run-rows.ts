import { type Kysely, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import * as z from 'zod';
import type { RunHeader } from '../../../domain/run.ts';
import type { Page, RunRow, RunRowRequest } from '../store.ts';
import { countTrialsOfRuns, noTrials } from './counts.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { withTrueStatus } from './run-holders.ts';
import { runOf } from './run-row.ts';
import type { SqlEngine } from './sql-engine.ts';
import type { Tables } from './tables.ts';
import type { TextSearch } from './text-search.ts';

type SelectedRun = Selectable<Tables['runs']>;
type Place = readonly [startedAt: number, runId: string];

const placeSchema = z.tuple([z.number(), z.string()]);

/** A page of the list of runs, the newest first, with their counts. */
export async function readRunRows(
  db: Kysely<Tables>,
  engine: SqlEngine,
  request: RunRowRequest,
): Promise<Page<RunRow>> {
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

function filteredRuns(
  db: Kysely<Tables>,
  search: TextSearch,
  { status, since, text }: RunRowRequest,
): SelectQueryBuilder<Tables, 'runs', SelectedRun> {
  let query = db.selectFrom('runs').selectAll();
  // What stands as running may have been interrupted.
  if (status !== undefined) query = query.where('status', 'in', [status, 'running']);
  if (since !== undefined) query = query.where('started_at', '>=', since);
  if (text) {
    const inJson = JSON.stringify(text).slice(1, -1);
    query = query.where(({ or, ref }) =>
      or([search(ref('run_id'), text), search(ref('request'), inJson), search(ref('scenarios'), inJson)]),
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

function hasText({ runId, request, scenarios }: RunHeader, text: string): boolean {
  const wanted = text.toLowerCase();
  const texts = [runId, request.name ?? '', ...scenarios.flatMap(({ name, file }) => [name, file])];
  return texts.some((one) => one.toLowerCase().includes(wanted));
}
