import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Trials that passed are most of all trials and need not be found by their outcome; those of a scenario are found by the
 * places that the counts name.
 */
export const smallerIndexes: Migration = {
  id: 15,
  name: 'smaller-indexes',
  async up(db) {
    for (const index of ['trials_by_scenario', 'trials_by_outcome']) await db.schema.dropIndex(index).execute();
    await sql`create index trials_by_outcome on trials (run_id, outcome, ordinal) where outcome <> 'pass'`.execute(db);
  },
};
