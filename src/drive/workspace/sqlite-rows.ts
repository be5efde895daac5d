import { createHash } from 'node:crypto';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { StateRow } from '../../domain/state-change.ts';

/** Rows, and by what each of them is the same one: undefined where its table has no primary key. */
interface DatabaseRows {
  readonly rows: readonly StateRow[];
  readonly keys?: readonly (string | undefined)[];
}

const busyTimeoutMs = 5_000;

/** Rows of a database that a stranger may have written: nothing of it is trusted, and nothing is changed. */
export function sqliteRows(file: string, query: string | undefined): DatabaseRows {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs });
  try {
    database.exec('pragma trusted_schema = off');
    database.exec('begin');
    return query === undefined ? allTables(database) : { rows: [...rowsOf(database, query)] };
  } finally {
    database.close();
  }
}

/** All tables in one moment, each row with its table and the primary key by which it is the same one. */
function allTables(database: DatabaseSyncInstance): DatabaseRows {
  const listed = rowsOf(database, "select name from pragma_table_list where schema = 'main' and type = 'table'");
  const tables = [...listed].map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'));
  const rows: StateRow[] = [];
  const keys: (string | undefined)[] = [];
  for (const table of tables.toSorted()) {
    const quoted = `"${table.replaceAll('"', '""')}"`;
    const columns = rowsOf(database, `select name from pragma_table_info(${sqlText(table)}) where pk > 0 order by pk`);
    const primary = [...columns].map(({ name }) => String(name));
    for (const row of rowsOf(database, `select * from ${quoted}`)) {
      rows.push({ table, ...row });
      const key = primary.map((column) => row[column]);
      keys.push(primary.length > 0 && !key.includes(null) ? JSON.stringify([table, ...key]) : undefined);
    }
  }
  return { rows, keys };
}

function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function* rowsOf(database: DatabaseSyncInstance, query: string): Generator<StateRow, void> {
  const statement = database.prepare(query);
  // An identifier of 64 bits would lose digits as a number.
  statement.setReadBigInts(true);
  for (const row of statement.iterate()) {
    yield Object.fromEntries(Object.entries(row as object).map(([column, value]) => [column, plain(value)]));
  }
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) {
    return `${value.length} bytes, SHA-256 ${createHash('sha256').update(value).digest('hex')}`;
  }
  return value;
}
