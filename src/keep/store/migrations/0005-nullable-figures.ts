import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Durations and costs that were not reported are absent, and counts say how many there are. Rows that were written before
 * keep what they say: nothing distinguishes a measured 0 from an absent one.
 */
export const nullableFigures: Migration = {
  id: 5,
  name: 'nullable-figures',
  async up(db) {
    await db.schema.dropIndex('trials_by_duration').execute();
    await db.schema.dropIndex('trials_by_cost').execute();
    for (const column of ['duration_ms', 'cost_usd'])
      await db.schema
        .alterTable('trials')
        .alterColumn(column, (definition) => definition.dropNotNull())
        .execute();
    // As the lists order their rows: an unknown figure has its own place.
    await sql`create index trials_by_duration on trials (run_id, coalesce(duration_ms, -1), ordinal, outcome)`.execute(
      db,
    );
    await sql`create index trials_by_cost on trials (run_id, coalesce(cost_usd, -1), ordinal, outcome)`.execute(db);
    for (const column of ['without_duration', 'without_cost', 'with_usage']) {
      await db.schema
        .alterTable('trial_counts')
        .addColumn(column, 'integer', (definition) => definition.notNull().defaultTo(0))
        .execute();
    }
    // Tokens that were counted were reported by some trial of the cell; the only question is whether there is one.
    await sql`update trial_counts set with_usage = trials where input_tokens + output_tokens > 0`.execute(db);
  },
};
