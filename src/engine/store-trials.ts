import { type RunHeader, type RunSummary, summarizeRun } from '../domain/run.ts';
import type { Emit } from '../domain/run-event.ts';
import type { FinishedTrial, Store } from '../keep/store/store.ts';
import { pullConcurrently } from '../shared/async.ts';
import { RecordWriter } from './record-writer.ts';
import type { RunLease } from './run-lease.ts';

export interface RunControl {
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly emit: Emit;
}

/** What a run still has to do. */
export interface MissingTrials<Item> {
  readonly alreadyStored: number;
  readonly missing: AsyncGenerator<Item, void>;
}

interface StoringParts {
  readonly store: Store;
  readonly lease: Pick<RunLease, 'end'>;
  readonly control: RunControl;
}

/** Lets trials be finished, several at a time, stores and tells what became of them, and sums the run up. */
export async function storeTrials<Item>(
  header: RunHeader,
  { alreadyStored, missing }: MissingTrials<Item>,
  { store, lease, control: { concurrency, emit, signal } }: StoringParts,
  finish: (item: Item) => Promise<FinishedTrial | undefined>,
): Promise<RunSummary> {
  await using writer = new RecordWriter(store, emit);
  emit({ type: 'run-started', run: header, alreadyStored, concurrency });
  await pullConcurrently(missing, concurrency, async (item) => {
    const finished = await finish(item);
    if (finished) await writer.add(finished);
  });
  await writer.flush();

  const status = signal.aborted ? 'interrupted' : 'finished';
  const ended = { ...header, status, finishedAt: Date.now() } as const;
  await lease.end(status, ended.finishedAt);
  const summary = summarizeRun(ended, await store.countTrials(header.runId), Date.now());
  emit({ type: 'run-finished', summary });
  return summary;
}
