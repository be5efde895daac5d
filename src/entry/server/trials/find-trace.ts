import { AssayError } from '../../../domain/errors.ts';
import type { Trace } from '../../../domain/trace.ts';
import { requireTrial } from '../../../keep/store/store.ts';
import type { WholeEvent } from '../api/trials.ts';
import type { ServerContext } from '../context.ts';

/** The trace of a trial; one that was looked at before need not be read again, for traces do not change. */
export async function findTrace(trialId: string, { store, runCache }: ServerContext): Promise<Trace> {
  return runCache.traces.get(trialId, async () => {
    const trace = await store.readTrace(trialId);
    if (trace) return trace;
    const { trialId: whole } = await requireTrial(store, trialId);
    return (await store.readTrace(whole)) ?? [];
  });
}

/** One event in full. */
export function wholeEvent(trace: Trace, index: number): WholeEvent {
  const event = trace[index];
  if (event) return { index, event };
  throw new AssayError('NOT_FOUND', `The trace has no event ${index}.`, {
    hint: `Use an index below ${trace.length}; indexes start at 0.`,
  });
}
