import type { Migration } from './migration.ts';

/** The definitions of tools that a run began with, which every process that works on it compares with. */
export const runPins: Migration = {
  id: 14,
  name: 'run-pins',
  async up(db, dialect) {
    await db.schema
      .createTable('run_pins')
      .addColumn('run_id', dialect.id, (column) => column.notNull())
      .addColumn('server', dialect.id, (column) => column.notNull())
      .addColumn('version', dialect.id, (column) => column.notNull())
      .addColumn('pins', 'text', (column) => column.notNull())
      .addColumn('checksum', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('run_pins_key', ['run_id', 'server', 'version'])
      .execute();
  },
};
