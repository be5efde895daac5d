import type { Migration } from './migration.ts';

/** Settings of live runs that can be changed from outside, and how long runs were paused. */
export const runControls: Migration = {
  id: 8,
  name: 'run-controls',
  async up(db, dialect) {
    await db.schema
      .alterTable('runs')
      .addColumn('paused_ms', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('run_controls')
      .addColumn('run_id', dialect.id, (column) => column.primaryKey())
      .addColumn('paused_at', 'bigint')
      .addColumn('concurrency', 'integer')
      .addColumn('max_usd', 'double precision')
      .addColumn('requeues', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
