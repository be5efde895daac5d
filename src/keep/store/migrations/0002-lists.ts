import { type Kysely, sql } from 'kysely';
import type { Migration, SqlDialectWords } from './migration.ts';

/** Indexes and counts that keep lists of runs and trials quick in a large store. */
export const lists: Migration = {
  id: 2,
  name: 'lists',
  async up(db, dialect) {
    await createTrialCounts(db, dialect);
    const index = (name: string, table: string, columns: readonly string[]) =>
      db.schema
        .createIndex(name)
        .on(table)
        .columns([...columns])
        .execute();
    await index('runs_by_start', 'runs', ['started_at', 'run_id']);
    await index('trials_by_outcome', 'trials', ['run_id', 'outcome', 'ordinal']);
    // The outcome comes last, so lists of one outcome are ordered without reading the rows of others.
    await index('trials_by_start', 'trials', ['run_id', 'started_at', 'ordinal', 'outcome']);
    await index('trials_by_duration', 'trials', ['run_id', 'duration_ms', 'ordinal', 'outcome']);
    await index('trials_by_cost', 'trials', ['run_id', 'cost_usd', 'ordinal', 'outcome']);
    await index('trials_by_scenario', 'trials', ['scenario', 'started_at']);
  },
};

async function createTrialCounts(db: Kysely<unknown>, dialect: SqlDialectWords): Promise<void> {
  const key = ['run_id', 'shard', 'file', 'scenario', 'variant', 'outcome', 'fault_code'] as const;
  await db.schema
    .createTable('trial_counts')
    .addColumn('run_id', dialect.id, (column) => column.notNull())
    .addColumn('shard', 'integer', (column) => column.notNull())
    .addColumn('file', 'text', (column) => column.notNull())
    .addColumn('scenario', 'text', (column) => column.notNull())
    .addColumn('variant', 'text', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('fault_code', 'text', (column) => column.notNull())
    .addColumn('trials', 'integer', (column) => column.notNull())
    .addColumn('first_ordinal', 'integer', (column) => column.notNull())
    .addColumn('last_ordinal', 'integer', (column) => column.notNull())
    .addColumn('duration_ns', 'double precision', (column) => column.notNull())
    .addColumn('cost_pico_usd', 'double precision', (column) => column.notNull())
    .addColumn('input_tokens', 'double precision', (column) => column.notNull())
    .addColumn('output_tokens', 'double precision', (column) => column.notNull())
    .addPrimaryKeyConstraint('trial_counts_key', [...key])
    .execute();
  await sql`
    insert into trial_counts
    select run_id, 0, file, scenario, variant, outcome, coalesce(fault_code, ''),
      count(*), min(ordinal), max(ordinal),
      sum(round(duration_ms * 1e6)), sum(round(cost_usd * 1e12)),
      sum(coalesce(input_tokens, 0)), sum(coalesce(output_tokens, 0))
    from trials group by run_id, file, scenario, variant, outcome, coalesce(fault_code, '')`.execute(db);
}
