import { type Kysely, sql } from 'kysely';
import type { Migration, SqlDialectWords } from './migration.ts';

/** Which process runs a run, earlier attempts of trials that were retried, and how many trials were reused. */
export const runProcesses: Migration = {
  id: 6,
  name: 'run-processes',
  async up(db, dialect) {
    await db.schema
      .createTable('run_processes')
      .addColumn('run_id', dialect.id, (column) => column.primaryKey())
      .addColumn('claim_id', 'text', (column) => column.notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('machine', 'text', (column) => column.notNull())
      .addColumn('pid', 'integer', (column) => column.notNull())
      .addColumn('process_start', 'text')
      .addColumn('claimed_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await createAttempts(db, dialect);
    await db.schema
      .alterTable('trial_counts')
      .addColumn('reused', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    // Runs of earlier versions have no process: whatever still stands as running was killed.
    await sql`
      update runs set status = 'interrupted'
      where status = 'running' and run_id not in (select run_id from work_runs where ended_at is null)`.execute(db);
  },
};

/** A row of `trials` as it was before the trial was retried. */
async function createAttempts(db: Kysely<unknown>, dialect: SqlDialectWords): Promise<void> {
  await db.schema
    .createTable('trial_attempts')
    .addColumn('trial_id', dialect.id, (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('run_id', dialect.id, (column) => column.notNull())
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('scenario', 'text', (column) => column.notNull())
    .addColumn('file', 'text', (column) => column.notNull())
    .addColumn('case_id', 'text', (column) => column.notNull())
    .addColumn('variant', 'text', (column) => column.notNull())
    .addColumn('repeat', 'integer', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('fault_code', 'text')
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('duration_ms', 'double precision')
    .addColumn('cost_usd', 'double precision')
    .addColumn('input_tokens', 'double precision')
    .addColumn('output_tokens', 'double precision')
    .addColumn('findings_pack', 'bigint', (column) => column.notNull())
    .addColumn('trace_pack', 'bigint', (column) => column.notNull())
    .addColumn('slot', 'integer', (column) => column.notNull())
    .addColumn('checksum', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('trial_attempts_key', ['trial_id', 'attempt'])
    .execute();
  await db.schema.createIndex('trial_attempts_by_run').on('trial_attempts').column('run_id').execute();
}
