import type { TrialRecord } from '../../domain/record.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { DeliveredParts } from '../../keep/spool/export-queue.ts';
import { ExportQueue } from '../../keep/spool/export-queue.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import {
  logsMessage,
  spansWithResults,
  type TrialTelemetry,
  tracesMessage,
  trialTelemetry,
} from '../../report/reporters/otlp/trial-spans.ts';
import { HttpClient } from '../../shared/http/http-client.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import { type Redact, redactDeep } from '../../shared/redaction/redaction.ts';
import type { Project } from '../config/project.ts';
import { projectRedaction } from '../config/redaction.ts';
import type { OtlpDestination } from './otlp-destination.ts';
import { type SentResult, sendOtlp } from './send-otlp.ts';

/** Counts of an export. */
export interface ExportReport {
  /** Trials that the receiver took. */
  readonly sent: number;
  /** Trials that it had taken before. */
  readonly sentBefore: number;
  /** Trials whose verdict is not there yet; they are sent with it. */
  readonly pending: number;
  /** Trials that it refused for good. */
  readonly refused: number;
  /** Spans and log records of other trials that it refused. */
  readonly rejected: number;
  /** Ids of runs of which something is left to send. */
  readonly waiting: readonly string[];
  /** Why something is left, or was refused. */
  readonly failures: readonly string[];
}

interface ExportOptions {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  readonly destination: OtlpDestination;
  /** Aborted when the time is up; what is left waits for the next time. */
  readonly signal: AbortSignal;
  /** Sends also what the receiver took before. */
  readonly sendsAgain?: boolean | undefined;
}

/** A trial that is being sent. */
interface OutgoingTrial {
  readonly trialId: string;
  /** Changes with the verdict, so a trial that is judged again is sent again. */
  readonly key: string;
  readonly telemetry: TrialTelemetry;
  readonly delivered: DeliveredParts;
  readonly bytes: number;
}

const mostBatchBytes = 1_000_000;
const mostBatchTrials = 100;
const monthMs = 30 * 24 * 3_600_000;

/**
 * Queues runs and sends everything that waits for the destination. What was taken is noted before anything else is
 * sent, so it is not sent twice; a process that ends in between leaves at most one batch in doubt, which has the same
 * ids when it is sent again.
 */
export async function exportRuns(runs: readonly RunHeader[], options: ExportOptions): Promise<ExportReport> {
  const { project, destination, signal } = options;
  using queue = new ExportQueue(project.folder, destination.id);
  const counts = new ExportCounts();
  for (const { runId } of runs) {
    if (options.sendsAgain) queue.forget(runId);
    const dropped = queue.add(runId, Date.now());
    for (const lost of dropped) counts.fail(`run ${lost} was dropped from the queue, because too many runs wait`);
  }
  using claim = queue.claim();
  if (!claim) {
    counts.fail('another process is sending to this receiver; it sends these runs too, or the next export does');
    return counts.report(queue);
  }
  using client = new HttpClient({ env: options.env });
  const sender = new RunSender({ ...options, queue, client, counts });
  // A run that another process queued in the meantime is sent as well.
  const tried = new Set<string>();
  for (;;) {
    const next = queue.waiting().find(({ runId }) => !tried.has(runId));
    if (!next || signal.aborted || sender.isStopped) {
      const isLate = signal.aborted && !sender.isStopped && queue.waiting().length > 0;
      if (isLate) counts.fail('the time was up before everything was sent');
      return counts.report(queue);
    }
    tried.add(next.runId);
    const run = await options.store.findRun(next.runId);
    if (run) await sender.send(run);
    else if (Date.now() - next.queuedAt > monthMs) queue.finish(next.runId);
    else counts.fail(`run ${next.runId} is not in this store`);
  }
}

class ExportCounts {
  sent = 0;
  sentBefore = 0;
  pending = 0;
  refused = 0;
  rejected = 0;
  readonly #failures = new Set<string>();

  fail(text: string): void {
    this.#failures.add(text);
  }

  report(queue: ExportQueue): ExportReport {
    const { sent, sentBefore, pending, refused, rejected } = this;
    const waiting = queue.waiting().map(({ runId }) => runId);
    return { sent, sentBefore, pending, refused, rejected, waiting, failures: [...this.#failures] };
  }
}

interface SenderOptions extends ExportOptions {
  readonly queue: ExportQueue;
  readonly client: HttpClient;
  readonly counts: ExportCounts;
}

/** Sends the trials of runs in batches, one at a time. */
class RunSender {
  readonly #options: SenderOptions;
  readonly #redact: Redact;
  /** The receiver has no path for log records, so verdicts are events of spans. */
  #takesNoLogs = false;
  isStopped = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#redact = projectRedaction(options.project, options.env, options.destination.secrets);
  }

  async send(run: RunHeader): Promise<void> {
    const { queue, counts, store, signal } = this.#options;
    let batch: OutgoingTrial[] = [];
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
        await this.#deliver(run, batch);
        [batch, bytes] = [[], 0];
      }
      batch.push(trial);
      bytes += trial.bytes;
    }
    if (batch.length > 0) await this.#deliver(run, batch);
    if (this.isStopped) return;
    counts.pending += pending;
    queue.finish(run.runId);
  }

  /** Undefined where the receiver has all of the trial. */
  async #outgoing(run: RunHeader, record: TrialRecord): Promise<OutgoingTrial | undefined> {
    const { queue, counts, store } = this.#options;
    const { trialId, startedAt, outcome, reason, evaluatorResults, metrics } = record;
    const key = `${trialId} ${sha256(canonicalJson([startedAt, outcome, reason, evaluatorResults, metrics])).slice(0, 16)}`;
    const delivered = queue.deliveredOf(run.runId, key);
    if (delivered.traces) {
      counts.sentBefore += 1;
      return undefined;
    }
    const trace = (await store.readTrace(trialId)) ?? [];
    const telemetry = redactDeep(trialTelemetry(record, trace), this.#redact);
    return { trialId, key, telemetry, delivered, bytes: JSON.stringify(telemetry).length };
  }

  /** Verdicts first: whether the receiver takes them as log records decides what the spans contain. */
  async #deliver(run: RunHeader, batch: readonly OutgoingTrial[]): Promise<void> {
    const { queue, counts } = this.#options;
    const withLogs = await this.#deliverResults(run, batch);
    if (this.isStopped) return;
    const spans = batch.flatMap((trial) =>
      withLogs.has(trial.key) ? trial.telemetry.spans : spansWithResults(trial.telemetry),
    );
    const result = await this.#send(tracesMessage(run, spans), 'traces');
    if (result.kind === 'taken') {
      queue.markDelivered(run.runId, keysOf(batch), 'traces');
      counts.sent += batch.length;
      this.#noteRejected(result);
    } else if (result.kind === 'refused') await this.#refused(run, batch, result.failure);
    else this.#stop(result.failure);
  }

  /** Keys of the trials whose verdicts the receiver has as log records. */
  async #deliverResults(run: RunHeader, batch: readonly OutgoingTrial[]): Promise<ReadonlySet<string>> {
    const { queue } = this.#options;
    const before = batch.filter(({ delivered }) => delivered.logs);
    const open = batch.filter(({ delivered }) => !delivered.logs);
    if (this.#takesNoLogs || open.length === 0) return new Set(keysOf(before));
    const records = open.flatMap(({ telemetry }) => telemetry.results);
    const result = await this.#send(logsMessage(run, records), 'logs');
    if (result.kind === 'taken') {
      queue.markDelivered(run.runId, keysOf(open), 'logs');
      this.#noteRejected(result);
      return new Set(keysOf(batch));
    }
    // The receiver cannot read the log records; the same verdicts are sent with the spans.
    if (result.kind === 'failed') this.#stop(result.failure);
    else this.#takesNoLogs = true;
    return new Set(keysOf(before));
  }

  /** Halves of a refused batch are sent separately, until the trials that are refused are found. */
  async #refused(run: RunHeader, batch: readonly OutgoingTrial[], failure: string): Promise<void> {
    const { queue, counts } = this.#options;
    const [only] = batch;
    if (batch.length === 1 && only) {
      queue.markDelivered(run.runId, [only.key], 'traces');
      counts.refused += 1;
      counts.fail(`trial ${only.trialId} was refused (${this.#redact(failure)}); it is not sent again`);
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    for (const half of [batch.slice(0, middle), batch.slice(middle)]) {
      const fresh = half.map((trial) => ({ ...trial, delivered: queue.deliveredOf(run.runId, trial.key) }));
      if (!this.isStopped) await this.#deliver(run, fresh);
    }
  }

  #send(message: object, kind: 'traces' | 'logs'): Promise<SentResult> {
    const { client, destination, signal } = this.#options;
    return sendOtlp(message, kind, { client, destination, signal });
  }

  #noteRejected(result: SentResult): void {
    if (result.kind !== 'taken' || result.rejected === 0) return;
    const { counts } = this.#options;
    counts.rejected += result.rejected;
    const why = result.message === '' ? '' : `: ${this.#redact(result.message)}`;
    counts.fail(`the receiver rejected ${result.rejected} spans or log records${why}`);
  }

  #stop(failure: string): void {
    this.isStopped = true;
    this.#options.counts.fail(this.#redact(failure));
  }
}

function keysOf(trials: readonly OutgoingTrial[]): string[] {
  return trials.map(({ key }) => key);
}
