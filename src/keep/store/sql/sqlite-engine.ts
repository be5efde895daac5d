import { CompiledQuery, sql } from 'kysely';
import type { InsertRows, RowInsertion, SqlEngine } from './sql-engine.ts';
import { sqliteTextSearch } from './text-search.ts';

const rowsPerStatement = 32;

/** How SQLite is asked; one process writes at a time, so one shard will do. */
export function sqliteEngine(): SqlEngine {
  return { contains: sqliteTextSearch, insertRows: chunkedInsertion(), countShard: 0, now: () => sql`${Date.now()}` };
}

/**
 * Building a statement costs more than running it, so there are two of each kind, one for a full chunk and one for a
 * single row, each built once and used for the life of the store.
 */
function chunkedInsertion(): InsertRows {
  const statements = new Map<string, string>();
  const statementFor = (insertion: RowInsertion, size: number): string => {
    const key = `${insertion.table} ${size}`;
    const known = statements.get(key) ?? statementText(insertion, size);
    statements.set(key, known);
    return known;
  };
  return async <Returned>(...[db, insertion, rows]: Parameters<InsertRows>) => {
    const returned: Returned[] = [];
    for (let next = 0; next < rows.length; ) {
      const size = rows.length - next >= rowsPerStatement ? rowsPerStatement : 1;
      const values = rows.slice(next, next + size).flat();
      const result = await db.executeQuery<Returned>(CompiledQuery.raw(statementFor(insertion, size), values));
      returned.push(...result.rows);
      next += size;
    }
    return returned;
  };
}

function statementText({ table, columns, ending }: RowInsertion, size: number): string {
  const names = Object.keys(columns);
  const row = `(${names.map(() => '?').join(',')})`;
  return `insert into ${table} (${names.join(',')}) values ${Array(size).fill(row).join(',')} ${ending}`;
}
