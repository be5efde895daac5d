import { AssayError } from '../../../domain/errors.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { Store } from '../../../keep/store/store.ts';

/** By id, by the beginning of one, or `latest`. */
export async function findRun(store: Store, runId: string): Promise<RunHeader> {
  const run = await store.findRun(runId);
  if (!run) throw new AssayError('NOT_FOUND', `There is no run "${runId}" in the store.`);
  return run;
}
