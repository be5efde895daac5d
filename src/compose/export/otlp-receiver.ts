import type { TrialRecord } from '../../domain/record.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { Trace } from '../../domain/trace.ts';
import {
  logsMessage,
  spansWithResults,
  type TrialTelemetry,
  tracesMessage,
  trialTelemetry,
} from '../../report/reporters/otlp/trial-spans.ts';
import { redactDeep } from '../../shared/redaction/redaction.ts';
import type { Receiver } from './export-runs.ts';
import type { OtlpDestination } from './otlp-destination.ts';
import { keysOf, type OutgoingTrial, RunSender, type SenderOptions } from './run-sender.ts';
import { type SentResult, sendOtlp } from './send-otlp.ts';

/** A receiver of traces and log records. */
export function otlpReceiver(destination: OtlpDestination): Receiver {
  const { id, host, secrets } = destination;
  return { id, host, secrets, open: (options) => new OtlpSender(destination, options) };
}

type Outgoing = OutgoingTrial<TrialTelemetry>;

class OtlpSender extends RunSender<TrialTelemetry> {
  readonly #destination: OtlpDestination;
  /** The receiver has no path for log records, so verdicts are events of spans. */
  #takesNoLogs = false;

  constructor(destination: OtlpDestination, options: SenderOptions) {
    super(options);
    this.#destination = destination;
  }

  protected contentOf(_run: RunHeader, record: TrialRecord, trace: Trace): TrialTelemetry {
    return redactDeep(trialTelemetry(record, trace), this.options.redact);
  }

  /** Verdicts first: whether the receiver takes them as log records decides what the spans contain. */
  protected async deliver(run: RunHeader, batch: readonly Outgoing[]): Promise<void> {
    const withLogs = await this.#deliverResults(run, batch);
    if (this.isStopped) return;
    const spans = batch.flatMap(({ key, content }) => (withLogs.has(key) ? content.spans : spansWithResults(content)));
    const result = await this.#send(tracesMessage(run, spans), 'traces');
    if (result.kind === 'taken') {
      this.noteTaken(run, batch);
      this.#noteRejected(result);
    } else if (result.kind === 'refused') await this.refused(run, batch, result.failure);
    else this.stop(result.failure);
  }

  /** Keys of the trials whose verdicts the receiver has as log records. */
  async #deliverResults(run: RunHeader, batch: readonly Outgoing[]): Promise<ReadonlySet<string>> {
    const { queue } = this.options;
    const before = batch.filter(({ delivered }) => delivered.logs);
    const open = batch.filter(({ delivered }) => !delivered.logs);
    if (this.#takesNoLogs || open.length === 0) return new Set(keysOf(before));
    const records = open.flatMap(({ content }) => content.results);
    const result = await this.#send(logsMessage(run, records), 'logs');
    if (result.kind === 'taken') {
      queue.markDelivered(run.runId, keysOf(open), 'logs');
      this.#noteRejected(result);
      return new Set(keysOf(batch));
    }
    // The receiver cannot read the log records; the same verdicts are sent with the spans.
    if (result.kind === 'failed') this.stop(result.failure);
    else this.#takesNoLogs = true;
    return new Set(keysOf(before));
  }

  #send(message: object, kind: 'traces' | 'logs'): Promise<SentResult> {
    const { client, signal } = this.options;
    return sendOtlp(message, kind, { client, destination: this.#destination, signal });
  }

  #noteRejected(result: SentResult): void {
    if (result.kind !== 'taken' || result.rejected === 0) return;
    const { counts, redact } = this.options;
    counts.rejected += result.rejected;
    const why = result.message === '' ? '' : `: ${redact(result.message)}`;
    counts.fail(`the receiver rejected ${result.rejected} spans or log records${why}`);
  }
}
