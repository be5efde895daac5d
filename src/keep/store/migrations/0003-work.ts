import type { Migration } from './migration.ts';

/** Runs whose trials are shared out between machines, and the workers that take them. */
export const work: Migration = {
  id: 3,
  name: 'work',
  async up(db, dialect) {
    await db.schema
      .createTable('work_runs')
      .addColumn('run_id', dialect.id, (column) => column.primaryKey())
      .addColumn('bundle_id', 'text', (column) => column.notNull())
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('priority', 'integer', (column) => column.notNull())
      .addColumn('is_enqueued', 'integer', (column) => column.notNull())
      .addColumn('cancelled_at', 'bigint')
      .addColumn('ended_at', 'bigint')
      .execute();
    await db.schema
      .createTable('work_groups')
      .addColumn('group_id', dialect.id, (column) => column.primaryKey())
      .addColumn('run_id', dialect.id, (column) => column.notNull())
      .addColumn('needs', 'text', (column) => column.notNull())
      .addColumn('limits', 'text', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('work_groups_by_run').on('work_groups').column('run_id').execute();
    await db.schema
      .createTable('workers')
      .addColumn('worker_id', dialect.id, (column) => column.primaryKey())
      .addColumn('facts', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('running', 'text', (column) => column.notNull())
      .addColumn('notes', 'text', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .addColumn('lease_ms', 'integer', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('limit_leases')
      .addColumn('limit_name', dialect.id, (column) => column.notNull())
      .addColumn('holder', dialect.id, (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('limit_leases_key', ['limit_name', 'holder'])
      .execute();
    await db.schema.createIndex('limit_leases_by_holder').on('limit_leases').column('holder').execute();
    await db.schema
      .createTable('work_turns')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('taken_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
