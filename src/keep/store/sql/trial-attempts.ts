import { type Kysely, sql } from 'kysely';
import type { TrialRecord } from '../../../domain/record.ts';
import type { PackReader } from './pack-reader.ts';
import type { Tables } from './tables.ts';
import { recordOf, trialColumns } from './trial-row.ts';
import { tallyColumns, tallyMerge } from './trial-tally.ts';

type Database = Kysely<Tables>;

/** How trials are counted whose outcome another attempt takes the place of: their cost counts, their outcome does not. */
const retried = 'retried';

/** Moves the trials of a run that ended in an error to their earlier attempts. */
export function setAsideErrors(db: Database, runId: string): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const columns = sql.join(Object.keys(trialColumns).map((name) => sql.ref(name)));
    const { numAffectedRows = 0n } = await sql`
      insert into trial_attempts (${columns}, attempt)
      select ${columns}, 1 + (select count(*) from trial_attempts a where a.trial_id = trials.trial_id)
      from trials where run_id = ${runId} and outcome = 'error'`.execute(transaction);
    if (numAffectedRows === 0n) return 0;
    await transaction.deleteFrom('trials').where('run_id', '=', runId).where('outcome', '=', 'error').execute();
    await countAsRetried(transaction, runId);
    return Number(numAffectedRows);
  });
}

async function countAsRetried(transaction: Database, runId: string): Promise<void> {
  const names = Object.keys(tallyColumns);
  const values = names.map((name) => (name === 'outcome' ? sql.lit(retried) : sql.ref(name)));
  await sql`
    insert into trial_counts (${sql.join(names.map((name) => sql.ref(name)))})
    select ${sql.join(values)} from trial_counts where run_id = ${runId} and outcome = 'error'
    ${sql.raw(tallyMerge)}`.execute(transaction);
  await transaction.deleteFrom('trial_counts').where('run_id', '=', runId).where('outcome', '=', 'error').execute();
}

/** Earlier attempts of a trial, the first one first. */
export async function readAttempts(db: Database, packs: PackReader, trialId: string): Promise<TrialRecord[]> {
  const rows = await db
    .selectFrom('trial_attempts')
    .selectAll()
    .where('trial_id', '=', trialId)
    .orderBy('attempt')
    .execute();
  const records: TrialRecord[] = [];
  for (const row of rows) records.push(recordOf(row, await packs.line(Number(row.findings_pack), row.slot)));
  return records;
}
