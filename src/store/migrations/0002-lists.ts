import type { Migration } from './migration.ts';

/** What makes lists of runs and trials, and counts, as quick in a large store as in a small one. */
export const lists: Migration = {
  id: 2,
  name: 'lists',
  async up(db) {
    const index = (name: string, table: string, columns: readonly string[]) =>
      db.schema
        .createIndex(name)
        .on(table)
        .columns([...columns])
        .execute();
    await index('runs_by_start', 'runs', ['started_at', 'run_id']);
    // Holds all that counting needs, so that no row is read for it.
    await index('trials_by_outcome', 'trials', [
      'run_id',
      'outcome',
      'ordinal',
      'fault_code',
      'cost_usd',
      'input_tokens',
      'output_tokens',
    ]);
    await index('trials_by_start', 'trials', ['run_id', 'started_at', 'ordinal']);
    await index('trials_by_duration', 'trials', ['run_id', 'duration_ms', 'ordinal']);
    await index('trials_by_cost', 'trials', ['run_id', 'cost_usd', 'ordinal']);
    await index('trials_by_scenario', 'trials', ['scenario', 'started_at']);
  },
};
