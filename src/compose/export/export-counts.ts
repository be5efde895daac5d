import type { ExportQueue } from '../../keep/spool/export-queue.ts';

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

export class ExportCounts {
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
