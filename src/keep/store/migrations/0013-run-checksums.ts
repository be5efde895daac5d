import { type Kysely, sql } from 'kysely';
import { runChecksum } from '../sql/run-checksum.ts';
import type { Migration } from './migration.ts';

/** Checksums of runs, and how many judged trials had an agent that was ended by its time limit. */
export const runChecksums: Migration = {
  id: 13,
  name: 'run-checksums',
  async up(db, dialect) {
    await db.schema
      .alterTable('trial_counts')
      .addColumn('timed_out', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable('runs').addColumn('checksum', 'bigint').execute();
    await addChecksums(db);
    await dialect.forgetStaleChecksums(db);
  },
};

async function addChecksums(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<Parameters<typeof runChecksum>[0]>`select * from runs`.execute(db);
  for (const row of rows)
    await sql`update runs set checksum = ${runChecksum(row)} where run_id = ${row.run_id}`.execute(db);
}
