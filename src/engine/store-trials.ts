import { type RunHeader, type RunSummary, summarizeRun } from '../domain/run.ts';
import type { Emit } from '../domain/run-event.ts';
import { pullConcurrently } from '../shared/pull-concurrently.ts';
import type { FinishedTrial, Store } from '../store/store.ts';
import { RecordWriter } from './record-writer.ts';

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

/** Lets trials be finished, several at a time, stores and tells what became of them, and sums the run up. */
export async function storeTrials<Item>(
  header: RunHeader,
  { alreadyStored, missing }: MissingTrials<Item>,
  store: Store,
  { concurrency, emit, signal }: RunControl,
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
  const ended: RunHeader = { ...header, status, finishedAt: Date.now() };
  await store.setRunStatus(header.runId, status, ended.finishedAt);
  const summary = summarizeRun(ended, await store.countTrials(header.runId), Date.now());
  emit({ type: 'run-finished', summary });
  return summary;
}
