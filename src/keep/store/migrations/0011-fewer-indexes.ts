import type { Migration } from './migration.ts';

/**
 * Every stored trial paid for three indexes that only lists in an unusual order read. Without them such a page reads the
 * ordinals of one run, and its order, once.
 */
export const fewerIndexes: Migration = {
  id: 11,
  name: 'fewer-indexes',
  async up(db) {
    for (const index of ['trials_by_start', 'trials_by_duration', 'trials_by_cost'])
      await db.schema.dropIndex(index).execute();
  },
};
