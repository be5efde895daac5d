import { asAssayError } from '../domain/errors.ts';
import type { RunHeader } from '../domain/run.ts';
import type { StoredTrial } from '../keep/store/sql/stored-trials.ts';
import type { FinishedTrial, Store } from '../keep/store/store.ts';

/** All runs of a store, the newest first. */
export async function* eachRun(store: Store): AsyncGenerator<RunHeader, void> {
  let cursor: string | undefined;
  do {
    const page = await store.readRunRows({ limit: 100, cursor });
    for (const { run } of page.items) yield run;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
}

/** The run with exactly this id. */
export async function runNamed(store: Store, runId: string): Promise<RunHeader | undefined> {
  const run = await store.findRun(runId);
  return run?.runId === runId ? run : undefined;
}

/** Reads a trial; one that is damaged is told of, and the rest goes on. */
export async function readOr(
  trial: StoredTrial,
  onDamage: (reason: string) => void,
): Promise<FinishedTrial | undefined> {
  try {
    return await trial.read();
  } catch (error) {
    const { code, message } = asAssayError(error, 'STORE_CORRUPT');
    if (code !== 'STORE_CORRUPT') throw error;
    onDamage(`trial ${trial.trialId} cannot be read: ${message}`);
    return undefined;
  }
}
