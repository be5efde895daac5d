import type { Migration } from './migration.ts';

/** Hooks of a run that failed after what they follow. */
export const hookProblems: Migration = {
  id: 9,
  name: 'hook-problems',
  async up(db) {
    await db.schema.alterTable('runs').addColumn('hook_problems', 'text').execute();
  },
};
