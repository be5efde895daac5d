import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import * as z from 'zod';
import { variantSchema } from '../../domain/trial.ts';
import type { Page, TrialOrder, TrialRow, TrialRowRequest } from '../store.ts';
import { ordinalsOfScenario } from './counts.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { Tables } from './tables.ts';
import type { TextSearch } from './text-search.ts';
import { trialRowOf, variantTexts } from './trial-row.ts';

type TrialQuery = SelectQueryBuilder<Tables, 'trials', object>;

const orderColumns = {
  plan: 'ordinal',
  started: 'started_at',
  duration: 'duration_ms',
  cost: 'cost_usd',
} as const satisfies Record<TrialOrder, keyof Tables['trials']>;

/** A page of the trials of a run: it starts after the last one of the page before, so that no row is skipped over. */
export async function readTrialRows(
  db: Kysely<Tables>,
  search: TextSearch,
  runId: string,
  request: TrialRowRequest,
): Promise<Page<TrialRow>> {
  const { order = 'plan', isDescending = false, limit } = request;
  const column = orderColumns[order];
  const direction = isDescending ? 'desc' : 'asc';
  let query: TrialQuery = db.selectFrom('trials').where('run_id', '=', runId);
  query = withFilters(query, search, request);
  if (request.scenario !== undefined) {
    // Its trials lie side by side: what lies elsewhere need not be read to be left out.
    const [first, last] = (await ordinalsOfScenario(db, runId, request.scenario)) ?? [0, -1];
    query = query.where('ordinal', '>=', first).where('ordinal', '<=', last);
  }
  if (request.cursor !== undefined) {
    const schema = z.tuple([z.literal(order), z.literal(isDescending), z.number(), z.int()]);
    const [, , value, ordinal] = readCursor(request.cursor, schema);
    const after = sql.raw(isDescending ? '<' : '>');
    query = query.where(sql<boolean>`(${sql.ref(column)}, ordinal) ${after} (${value}, ${ordinal})`);
  }
  if (column !== 'ordinal') query = query.orderBy(column, direction);
  const selected = await query
    .orderBy('ordinal', direction)
    .selectAll()
    .limit(limit + 1)
    .execute();
  const items = selected.slice(0, limit).map(trialRowOf);
  const last = selected[limit - 1];
  if (selected.length <= limit || !last) return { items, next: null };
  return { items, next: writeCursor([order, isDescending, Number(last[column]), last.ordinal]) };
}

function withFilters(query: TrialQuery, search: TextSearch, request: TrialRowRequest): TrialQuery {
  const { outcomes, scenario, variant, text } = request;
  let filtered = query;
  if (outcomes) filtered = filtered.where('outcome', 'in', outcomes);
  if (scenario !== undefined) filtered = filtered.where('scenario', '=', scenario);
  if (variant) filtered = filtered.where('variant', 'in', variantTexts(variant));
  if (!text) return filtered;
  const columns = ['scenario', 'case_id', 'reason', 'trial_id'] as const;
  return filtered.where(({ or, ref }) =>
    or([...columns.map((column) => search(ref(column), text)), search(variantValues, text)]),
  );
}

/** The text of a variant without the names of its fields: whoever looks for "model" does not mean all trials. */
const variantValues = Object.keys(variantSchema.shape).reduce(
  (text, name) => sql<string>`replace(${text}, ${sql.lit(`"${name}":`)}, '')`,
  sql<string>`variant`,
);
