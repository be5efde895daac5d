import type { StateDifference, StateRow } from '../../domain/state-change.ts';
import { counted } from '../../shared/format.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { Snapshot } from './read-state.ts';
import type { StateConfig } from './states.ts';

/** More differing rows than a trace keeps: a trial that rewrote a whole table is described by its number. */
const mostDiffering = 5_000;

/** Two snapshots that say nothing about each other. */
export class IncomparableState extends Error {}

type Difference = Pick<StateDifference, 'rows' | 'added' | 'removed' | 'changed'>;

/** The rows that differ. Rows are the same by their key; without one, a row that differs is one removed and one added. */
export function differenceOf(state: StateConfig, earlier: Snapshot, later: Snapshot): Difference {
  const [before, after] = [earlier, later].map(({ rows, keys }) => ({ rows: rows.map(withoutIgnored(state)), keys }));
  if (!before || !after) throw new IncomparableState('there is no snapshot');
  const keyOf = keyFor(state, before, after);
  const found = keyOf ? byKey(indexed(before, keyOf), indexed(after, keyOf)) : byContent(before.rows, after.rows);
  const differing = found.added.length + found.removed.length + found.changed.length;
  if (differing > mostDiffering)
    throw new IncomparableState(`${counted(differing, 'row')} differ, more than ${mostDiffering}`);
  return { rows: { before: before.rows.length, after: after.rows.length }, ...found };
}

function withoutIgnored({ ignore = [] }: StateConfig): (row: StateRow) => StateRow {
  if (ignore.length === 0) return (row) => row;
  return (row) => Object.fromEntries(Object.entries(row).filter(([column]) => !ignore.includes(column)));
}

type KeyOf = (row: StateRow, snapshot: Snapshot, index: number) => string | undefined;

/** Key of a row: the columns of the config, else the primary keys of the source, else an `id` that every row has. */
function keyFor({ key }: StateConfig, before: Snapshot, after: Snapshot): KeyOf | undefined {
  if (key) return (row) => keyText(row, key);
  if (before.keys && after.keys) return (_row, { keys }, index) => keys?.[index];
  const rows = [...before.rows, ...after.rows];
  const hasIds = rows.length > 0 && rows.every(({ id }) => typeof id === 'string' || typeof id === 'number');
  const isUnique = [before, after].every((one) => new Set(one.rows.map(({ id }) => id)).size === one.rows.length);
  return hasIds && isUnique ? (row) => keyText(row, ['id']) : undefined;
}

function keyText(row: StateRow, columns: readonly string[]): string {
  const missing = columns.find((column) => row[column] === undefined);
  if (missing !== undefined)
    throw new IncomparableState(`a row has no \`${missing}\`: ${canonicalJson(row).slice(0, 120)}`);
  return canonicalJson(columns.map((column) => row[column]));
}

function indexed(snapshot: Snapshot, keyOf: KeyOf): ReadonlyMap<string, StateRow> {
  const rows = new Map<string, StateRow>();
  for (const [index, row] of snapshot.rows.entries()) {
    // A table without a primary key: a row is the same if all of it is.
    const key = keyOf(row, snapshot, index) ?? canonicalJson(row);
    if (rows.has(key)) throw new IncomparableState(`two rows have the key ${key.slice(0, 120)}; set \`key\``);
    rows.set(key, row);
  }
  return rows;
}

function byKey(before: ReadonlyMap<string, StateRow>, after: ReadonlyMap<string, StateRow>): Omit<Difference, 'rows'> {
  const removed = [...before].flatMap(([key, row]) => (after.has(key) ? [] : [row]));
  const added = [...after].flatMap(([key, row]) => (before.has(key) ? [] : [row]));
  const changed = [...before].flatMap(([key, row]) => {
    const now = after.get(key);
    return now !== undefined && canonicalJson(row) !== canonicalJson(now) ? [{ before: row, after: now }] : [];
  });
  return { added, removed, changed };
}

/** Rows may be equal, so they are counted. */
function byContent(before: readonly StateRow[], after: readonly StateRow[]): Omit<Difference, 'rows'> {
  return { removed: beyond(before, after), added: beyond(after, before), changed: [] };
}

function beyond(rows: readonly StateRow[], others: readonly StateRow[]): StateRow[] {
  const left = new Map<string, number>();
  for (const row of others) left.set(canonicalJson(row), (left.get(canonicalJson(row)) ?? 0) + 1);
  return rows.filter((row) => {
    const text = canonicalJson(row);
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  });
}
