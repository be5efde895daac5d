import { CompiledQuery, sql } from 'kysely';
import type { InsertRows, SqlEngine } from './sql-engine.ts';
import { postgresTextSearch } from './text-search.ts';

const countShards = 64;

/**
 * How Postgres is asked. Stores on many machines count in shards, each transaction in the first that is free: nobody
 * waits for the commit of another, who may be slow or stand still, and a run with few writers has few shards.
 */
export function postgresEngine(): SqlEngine {
  const countShard = Math.floor(Math.random() * countShards);
  const freeCountShard = `coalesce((
    select s from generate_series(0, ${countShards - 1}) s
    where pg_try_advisory_xact_lock(hashtext('assay trial_counts'), s) limit 1
  ), ${countShard})`;
  const now = () => sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  return { contains: postgresTextSearch, insertRows: insertColumns, countShard, freeCountShard, now };
}

/** However many rows there are, they go as one array for each column: one statement, one round trip. */
const insertColumns: InsertRows = async <Returned>(...[db, insertion, rows]: Parameters<InsertRows>) => {
  if (rows.length === 0) return [];
  const { table, columns, ending, expressions = {} } = insertion;
  const names = Object.keys(columns);
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  const selected = names.map((name) => (expressions[name] ? `(select ${expressions[name]})` : `given.${name}`));
  const text = `insert into ${table} (${names}) select ${selected} from unnest(${arrays}) as given(${names}) ${ending}`;
  const values = arrays.map((_, column) => rows.map((row) => row[column]));
  return (await db.executeQuery<Returned>(CompiledQuery.raw(text, values))).rows;
};
