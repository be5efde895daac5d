import { crc32 } from 'node:zlib';
import type { Kysely, Selectable, Updateable } from 'kysely';
import { type Tables, tables } from './tables.ts';
import { corrupt } from './trial-row.ts';

type SelectedRun = Selectable<Tables['runs']>;
type RunChange = Omit<Updateable<Tables['runs']>, 'run_id' | 'checksum'>;
type Content = Omit<SelectedRun, 'checksum'>;

const { checksum: _checksum, ...checkedColumns } = tables.runs.columns;

/** The checksum of a run as it is stored. */
export function runChecksum(row: Content): number {
  const written = Object.entries(checkedColumns).map(([name, { type }]) => {
    const value = row[name as keyof Content];
    return type === 'bigint' && value !== null ? Number(value) : value;
  });
  return crc32(JSON.stringify(written));
}

/** The row, if it is as it was written; refuses it otherwise. */
export function checkedRun(row: SelectedRun): SelectedRun {
  if (Number(row.checksum) !== runChecksum(row)) throw corrupt(`run ${row.run_id}`);
  return row;
}

/** Which run is changed; with a claim, only as long as this claim on it stands. */
interface ChangedRun {
  readonly runId: string;
  readonly claimId?: string;
}

/**
 * Changes a run together with its checksum. Each step is one statement: another process that changes the run in between
 * is noticed, and the change is made again to what it wrote. False where there is no such run, or the claim is gone.
 */
export async function changeRun(
  db: Kysely<Tables>,
  { runId, claimId }: ChangedRun,
  change: (row: SelectedRun) => RunChange,
): Promise<boolean> {
  const claimed = claimId === undefined ? [] : [claimOn(db, runId, claimId)];
  for (let before: SelectedRun['checksum'] | undefined; ; ) {
    const row = await db.selectFrom('runs').selectAll().where('run_id', '=', runId).executeTakeFirst();
    // Refused although nothing has changed: the claim is gone.
    if (!row || row.checksum === before) return false;
    const changed = change(checkedRun(row));
    const checksum = runChecksum({ ...row, ...changed } as Content);
    if (checksum === Number(row.checksum)) return true;
    let update = db
      .updateTable('runs')
      .set({ ...changed, checksum })
      .where('run_id', '=', runId)
      .where('checksum', '=', row.checksum as number);
    for (const claim of claimed) update = update.where('run_id', 'in', claim);
    if ((await update.executeTakeFirst()).numUpdatedRows > 0n) return true;
    if (claimed.length > 0) before = row.checksum;
  }
}

function claimOn(db: Kysely<Tables>, runId: string, claimId: string) {
  return db.selectFrom('run_processes').select('run_id').where('run_id', '=', runId).where('claim_id', '=', claimId);
}
