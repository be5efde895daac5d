import type { Migration } from './migration.ts';

/** How long the requests of a run waited for rate limits. */
export const runWaits: Migration = {
  id: 7,
  name: 'run-waits',
  async up(db) {
    await db.schema.alterTable('runs').addColumn('waits', 'text').execute();
  },
};
