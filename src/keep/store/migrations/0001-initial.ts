import type { Kysely } from 'kysely';
import type { Migration, SqlDialectWords } from './migration.ts';

/** Runs, trials and packs. */
export const initial: Migration = {
  id: 1,
  name: 'initial',
  async up(db, dialect) {
    await db.schema
      .createTable('runs')
      .addColumn('run_id', dialect.id, (column) => column.primaryKey())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('finished_at', 'bigint')
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('planned', 'integer', (column) => column.notNull())
      .addColumn('assay_version', 'text', (column) => column.notNull())
      .addColumn('request', 'text', (column) => column.notNull())
      .addColumn('scenarios', 'text', (column) => column.notNull())
      .execute();
    await createTrials(db, dialect);
    await db.schema
      .createTable('packs')
      .addColumn('pack_id', dialect.generatedId, (column) => dialect.generated(column.primaryKey()))
      .addColumn('run_id', dialect.id, (column) => column.notNull())
      .addColumn('body', dialect.bytes, (column) => column.notNull())
      .addColumn('checksum', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('trials_by_plan').on('trials').columns(['run_id', 'ordinal']).execute();
    await db.schema.createIndex('packs_by_run').on('packs').column('run_id').execute();
  },
};

async function createTrials(db: Kysely<unknown>, dialect: SqlDialectWords): Promise<void> {
  await db.schema
    .createTable('trials')
    .addColumn('trial_id', dialect.id, (column) => column.primaryKey())
    .addColumn('run_id', dialect.id, (column) => column.notNull())
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('scenario', 'text', (column) => column.notNull())
    .addColumn('file', 'text', (column) => column.notNull())
    .addColumn('case_id', 'text', (column) => column.notNull())
    .addColumn('variant', 'text', (column) => column.notNull())
    .addColumn('repeat', 'integer', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('fault_code', 'text')
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('duration_ms', 'double precision', (column) => column.notNull())
    .addColumn('cost_usd', 'double precision', (column) => column.notNull())
    .addColumn('input_tokens', 'double precision')
    .addColumn('output_tokens', 'double precision')
    .addColumn('findings_pack', 'bigint', (column) => column.notNull())
    .addColumn('trace_pack', 'bigint', (column) => column.notNull())
    .addColumn('slot', 'integer', (column) => column.notNull())
    .addColumn('checksum', 'bigint', (column) => column.notNull())
    .execute();
}
