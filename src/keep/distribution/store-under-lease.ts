import type { FinishedTrial } from '../store/store.ts';
import { type Lease, leaseName } from './distribution.ts';
import { completedAmong, completeJobs } from './leases.ts';
import type { WorkDatabase } from './work-database.ts';

/** The result of a trial, and the right to store it. */
export interface LeasedResult {
  readonly lease: Lease;
  readonly finished: FinishedTrial;
}

/**
 * Stores the results whose leases are still held, in the same transaction that marks their trials as done; gives those
 * that came too late. A worker that was stopped for a while and then goes on can so never store a trial twice.
 */
export async function storeUnderLease(
  { db, saveTrials }: WorkDatabase,
  results: readonly LeasedResult[],
): Promise<LeasedResult[]> {
  const leases = results.map(({ lease }) => lease);
  const refused = await db.transaction().execute(async (transaction) => {
    const held = await completeJobs(transaction, leases);
    const accepted = results.filter(({ lease }) => held.has(leaseName(lease)));
    if (accepted.length > 0) {
      await saveTrials(
        transaction,
        accepted.map(({ finished }) => finished),
      );
    }
    return results.filter(({ lease }) => !held.has(leaseName(lease)));
  });
  if (refused.length === 0) return [];
  const done = await completedAmong(
    db,
    refused.map(({ lease }) => lease),
  );
  return refused.filter(({ lease }) => !done.has(leaseName(lease)));
}
