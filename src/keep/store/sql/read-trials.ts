import { type Expression, type Kysely, type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import { variantSchema } from '../../../domain/variant.ts';
import type { Page, TrialOrder, TrialRow, TrialRowRequest } from '../store.ts';
import { ordinalsOfScenarios } from './counts.ts';
import type { Tables } from './tables.ts';
import { hasOutcome, storable, trialRowOf, variantTexts } from './trial-row.ts';

const longestCursor = 1_000;

/** Where a page ended, as text that only the store reads. */
export function writeCursor(place: readonly (string | number | boolean)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** The place that a cursor names; refuses what the store did not write for this list. */
export function readCursor<Place>(cursor: string, schema: z.ZodType<Place>): Place {
  const place = schema.safeParse(cursor.length > longestCursor ? undefined : parsed(cursor));
  if (place.success) return place.data;
  throw new AssayError('USAGE', 'This cursor does not belong to this list.', {
    hint: 'Start again without a cursor: a cursor is good for the list that gave it, in the same order.',
  });
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

type SelectedTrial = Selectable<Tables['trials']>;
type TrialQuery = SelectQueryBuilder<Tables, 'trials', object>;

/** Stands for an unreported figure in the order: before all reported ones. */
const unknownFigure = -1;

/** By what rows are ordered. Only the order of the plan has an index: each costs time for every trial that is stored. */
const orders = {
  plan: { column: 'ordinal', expression: 'ordinal' },
  started: { column: 'started_at', expression: 'started_at' },
  duration: { column: 'duration_ms', expression: `coalesce(duration_ms, ${unknownFigure})` },
  cost: { column: 'cost_usd', expression: `coalesce(cost_usd, ${unknownFigure})` },
} as const satisfies Record<TrialOrder, { column: keyof Tables['trials']; expression: string }>;

/** A page of the trials of a run: it starts after the last row of the page before, so no row is skipped. */
export async function readTrialRows(
  db: Kysely<Tables>,
  search: TextSearch,
  runId: string,
  request: TrialRowRequest,
): Promise<Page<TrialRow>> {
  const { order = 'plan', isDescending = false, limit } = request;
  let query: TrialQuery = db.selectFrom('trials').where('run_id', '=', runId);
  query = withFilters(query, search, request);
  if (request.scenario !== undefined) {
    // Its trials lie side by side: what lies elsewhere need not be read to be left out.
    const [first, last] = (await ordinalsOfScenarios(db, runId, [request.scenario])) ?? [0, -1];
    query = query.where('ordinal', '>=', first).where('ordinal', '<=', last);
  }
  const selected = await rowsAfter(db, query, request, limit + 1);
  const items = selected.slice(0, limit).map(trialRowOf);
  const last = selected[limit - 1];
  if (selected.length <= limit || !last) return { items, next: null };
  const place = Number(last[orders[order].column] ?? unknownFigure);
  return { items, next: writeCursor([order, isDescending, place, last.ordinal]) };
}

/** The rows that follow a cursor: those that share its figure, and those beyond it. */
async function rowsAfter(
  db: Kysely<Tables>,
  query: TrialQuery,
  request: TrialRowRequest,
  wanted: number,
): Promise<SelectedTrial[]> {
  const { order = 'plan', isDescending = false, cursor } = request;
  const direction = isDescending ? 'desc' : 'asc';
  const expression = sql<number>`${sql.raw(orders[order].expression)}`;
  const read = (part: TrialQuery, limit: number): Promise<SelectedTrial[]> => {
    if (order === 'plan') return part.orderBy('ordinal', direction).selectAll().limit(limit).execute();
    // Whole rows are read of this page only; sorting all of them takes several times as long.
    const ordered = part.orderBy(expression, direction).orderBy('ordinal', direction).select('trial_id').limit(limit);
    const page = db.selectFrom('trials').selectAll().where('trial_id', 'in', ordered);
    return page.orderBy(expression, direction).orderBy('ordinal', direction).execute();
  };
  if (cursor === undefined) return read(query, wanted);
  const schema = z.tuple([z.literal(order), z.literal(isDescending), z.number(), z.int()]);
  const [, , value, ordinal] = readCursor(cursor, schema);
  const after = isDescending ? '<' : '>';
  if (order === 'plan') return read(query.where('ordinal', after, ordinal), wanted);
  const following = query.where(({ eb, or, and }) =>
    or([eb(expression, after, value), and([eb(expression, '=', value), eb('ordinal', after, ordinal)])]),
  );
  return read(following, wanted);
}

function withFilters(query: TrialQuery, search: TextSearch, request: TrialRowRequest): TrialQuery {
  const { outcomes, scenario, variant, ordinals, trialIds, text } = request;
  let filtered = query;
  if (outcomes) filtered = filtered.where(hasOutcome(outcomes));
  if (scenario !== undefined) filtered = filtered.where('scenario', '=', scenario);
  if (variant) filtered = filtered.where('variant', 'in', variantTexts(variant));
  if (ordinals) filtered = filtered.where('ordinal', 'in', [...ordinals]);
  if (trialIds) filtered = filtered.where('trial_id', 'in', [...trialIds]);
  if (!text) return filtered;
  const columns = ['scenario', 'case_id', 'reason', 'trial_id'] as const;
  return filtered.where(({ or, ref }) =>
    or([...columns.map((column) => search(ref(column), text)), search(variantValues, text)]),
  );
}

/** The text of a variant without the names of its fields: a search for "model" does not mean all trials. */
const variantValues = Object.keys(variantSchema.shape).reduce(
  (text, name) => sql<string>`replace(${text}, ${sql.lit(`"${name}":`)}, '')`,
  sql<string>`variant`,
);

const longestText = 500;

/** Whether an expression holds a text, whatever the case of its letters; engines write it differently. */
export type TextSearch = (where: Expression<unknown>, text: string) => RawBuilder<boolean>;

/**
 * SQLite knows the case of ASCII letters only. A pattern that names both cases of every letter does not depend on what
 * the engine knows.
 */
export const sqliteTextSearch: TextSearch = (where, text) => {
  const pattern = Array.from(searched(text), (character) => (isWild(character) ? `[${character}]` : cases(character)));
  return sql<boolean>`${where} glob ${`*${pattern.join('')}*`}`;
};

/** On Postgres the case of letters depends on the locale of the database; the pattern does not. */
export const postgresTextSearch: TextSearch = (where, text) => {
  const pattern = Array.from(searched(text), (character) =>
    /^[\x20-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]$/.test(character) ? `\\${character}` : cases(character),
  );
  return sql<boolean>`${where} ~ ${pattern.join('')}`;
};

function searched(text: string): string {
  if (text.length > longestText)
    throw new AssayError('USAGE', `The text to search for has ${text.length} characters; ${longestText} are allowed.`);
  return storable(text);
}

function isWild(character: string): boolean {
  return character === '*' || character === '?' || character === '[';
}

function cases(character: string): string {
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
  const isOneCharacter = [lower, upper].every((form) => Array.from(form).length === 1);
  return lower === upper || !isOneCharacter ? character : `[${lower}${upper}]`;
}
