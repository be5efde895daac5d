import type { Migration } from './migration.ts';

/** Tags, notes and the archive mark that people give a run, and the commit that it was started on. */
export const runLabels: Migration = {
  id: 12,
  name: 'run-labels',
  async up(db) {
    await db.schema.alterTable('runs').addColumn('labels', 'text').execute();
    await db.schema.alterTable('runs').addColumn('source', 'text').execute();
  },
};
