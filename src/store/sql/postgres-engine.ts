import { CompiledQuery } from 'kysely';
import type { InsertRows, SqlEngine } from './sql-engine.ts';
import { postgresTextSearch } from './text-search.ts';

const countShards = 64;

/** How Postgres is asked; stores on several machines spread their counts, so that they seldom wait for each other. */
export function postgresEngine(): SqlEngine {
  const countShard = Math.floor(Math.random() * countShards);
  return { contains: postgresTextSearch, insertRows: insertColumns, countShard };
}

/** However many rows there are, they go as one array for each column: one statement, one round trip. */
const insertColumns: InsertRows = async <Returned>(...[db, insertion, rows]: Parameters<InsertRows>) => {
  if (rows.length === 0) return [];
  const { table, columns, ending } = insertion;
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  const text = `insert into ${table} (${Object.keys(columns).join(',')}) select * from unnest(${arrays.join(',')}) ${ending}`;
  const values = arrays.map((_, column) => rows.map((row) => row[column]));
  return (await db.executeQuery<Returned>(CompiledQuery.raw(text, values))).rows;
};
