import type { Migration } from './migration.ts';

/** Rounds of experiments, and what was seen after each. */
export const experiments: Migration = {
  id: 10,
  name: 'experiments',
  async up(db) {
    await db.schema.alterTable('runs').addColumn('experiment', 'text').execute();
  },
};
