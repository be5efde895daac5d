import type { Migration } from './migration.ts';

/** Rounds of experiments with what was seen after each, and when other runs were compared before their end. */
export const experiments: Migration = {
  id: 10,
  name: 'experiments',
  async up(db) {
    await db.schema.alterTable('runs').addColumn('experiment', 'text').execute();
    await db.schema.alterTable('runs').addColumn('early_looks', 'text').execute();
  },
};
