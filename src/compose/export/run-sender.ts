import type { TrialRecord } from '../../domain/record.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { Trace } from '../../domain/trace.ts';
import type { DeliveredParts, ExportQueue } from '../../keep/spool/export-queue.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import type { HttpClient } from '../../shared/http/http-client.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { Redact } from '../../shared/redaction/redaction.ts';
import type { ExportCounts } from './export-counts.ts';

/** A trial that is being sent. */
export interface OutgoingTrial<Content> {
  readonly trialId: string;
  /** Changes with the verdict, so a trial that is judged again is sent again. */
  readonly key: string;
  readonly content: Content;
  readonly delivered: DeliveredParts;
  readonly bytes: number;
}

export interface SenderOptions {
  readonly store: Store;
  readonly queue: ExportQueue;
  readonly client: HttpClient;
  readonly counts: ExportCounts;
  readonly redact: Redact;
  /** Aborted when the time is up; what is left waits for the next time. */
  readonly signal: AbortSignal;
}

const mostBatchBytes = 1_000_000;
const mostBatchTrials = 100;

/** Sends the trials of runs in batches, one at a time; each kind of receiver says what it gets of a trial, and how. */
export abstract class RunSender<Content> {
  protected readonly options: SenderOptions;
  isStopped = false;

  constructor(options: SenderOptions) {
    this.options = options;
  }

  /** The part of a trial that is sent, without its secrets. */
  protected abstract contentOf(run: RunHeader, record: TrialRecord, trace: Trace): Promise<Content> | Content;

  /** Sends a batch, and notes what was taken of it. */
  protected abstract deliver(run: RunHeader, batch: readonly OutgoingTrial<Content>[]): Promise<void>;

  async send(run: RunHeader): Promise<void> {
    const { queue, counts, store, signal } = this.options;
    let batch: OutgoingTrial<Content>[] = [];
    let bytes = 0;
    let pending = 0;
    for await (const record of eachTrial(store, run.runId)) {
      if (this.isStopped || signal.aborted) return;
      if (record.fault?.code === 'JUDGE_WAITING') {
        pending += 1;
        continue;
      }
      const trial = await this.#outgoing(run, record);
      if (!trial) continue;
      if (batch.length >= mostBatchTrials || bytes + trial.bytes > mostBatchBytes) {
        await this.deliver(run, batch);
        [batch, bytes] = [[], 0];
      }
      batch.push(trial);
      bytes += trial.bytes;
    }
    if (batch.length > 0) await this.deliver(run, batch);
    if (this.isStopped) return;
    counts.pending += pending;
    queue.finish(run.runId);
  }

  /** Undefined where the receiver has all of the trial. */
  async #outgoing(run: RunHeader, record: TrialRecord): Promise<OutgoingTrial<Content> | undefined> {
    const { queue, counts, store } = this.options;
    const { trialId, startedAt, outcome, reason, evaluatorResults, metrics } = record;
    const key = `${trialId} ${sha256(canonicalJson([startedAt, outcome, reason, evaluatorResults, metrics])).slice(0, 16)}`;
    const delivered = queue.deliveredOf(run.runId, key);
    if (delivered.traces) {
      counts.sentBefore += 1;
      return undefined;
    }
    const content = await this.contentOf(run, record, (await store.readTrace(trialId)) ?? []);
    return { trialId, key, content, delivered, bytes: JSON.stringify(content).length };
  }

  protected noteTaken(run: RunHeader, batch: readonly OutgoingTrial<Content>[]): void {
    const { queue, counts } = this.options;
    queue.markDelivered(run.runId, keysOf(batch), 'traces');
    counts.sent += batch.length;
  }

  /** Halves of a refused batch are sent separately, until the trials that are refused are found. */
  protected async refused(run: RunHeader, batch: readonly OutgoingTrial<Content>[], failure: string): Promise<void> {
    const { queue, counts, redact } = this.options;
    const [only] = batch;
    if (batch.length === 1 && only) {
      queue.markDelivered(run.runId, [only.key], 'traces');
      counts.refused += 1;
      counts.fail(`trial ${only.trialId} was refused (${redact(failure)}); it is not sent again`);
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    for (const half of [batch.slice(0, middle), batch.slice(middle)]) {
      const fresh = half.map((trial) => ({ ...trial, delivered: queue.deliveredOf(run.runId, trial.key) }));
      if (!this.isStopped) await this.deliver(run, fresh);
    }
  }

  protected stop(failure: string): void {
    this.isStopped = true;
    this.options.counts.fail(this.options.redact(failure));
  }
}

export function keysOf(trials: readonly OutgoingTrial<unknown>[]): string[] {
  return trials.map(({ key }) => key);
}
