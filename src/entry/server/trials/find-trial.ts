import { AssayError } from '../../../domain/errors.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { Trace } from '../../../domain/trace.ts';
import type { Store } from '../../../keep/store/store.ts';
import type { ServerContext } from '../context.ts';

/** By id or by an unambiguous beginning of it. */
export async function findTrial(store: Store, trialId: string): Promise<TrialRecord> {
  const record = await store.findTrial(trialId);
  if (!record) throw new AssayError('NOT_FOUND', `There is no trial "${trialId}" in the store.`);
  return record;
}

/** The trace of a trial; one that was looked at before need not be read again, for traces do not change. */
export async function findTrace(trialId: string, { store, runCache }: ServerContext): Promise<Trace> {
  return runCache.traces.get(trialId, async () => {
    const trace = await store.readTrace(trialId);
    if (trace) return trace;
    const { trialId: whole } = await findTrial(store, trialId);
    return (await store.readTrace(whole)) ?? [];
  });
}
