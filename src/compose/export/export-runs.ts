import type { RunHeader } from '../../domain/run.ts';
import { ExportQueue } from '../../keep/spool/export-queue.ts';
import type { Store } from '../../keep/store/store.ts';
import { HttpClient } from '../../shared/http/http-client.ts';
import type { Project } from '../config/project.ts';
import { projectRedaction } from '../config/redaction.ts';
import { ExportCounts, type ExportReport } from './export-counts.ts';
import type { RunSender, SenderOptions } from './run-sender.ts';

/** Where runs are sent to. */
export interface Receiver {
  /** Identifies it without its secrets. */
  readonly id: string;
  /** For people. */
  readonly host: string;
  /** Values that open it. */
  readonly secrets: readonly string[];
  open(options: SenderOptions): Pick<RunSender<unknown>, 'send' | 'isStopped'>;
}

interface ExportOptions {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  readonly receiver: Receiver;
  /** Aborted when the time is up; what is left waits for the next time. */
  readonly signal: AbortSignal;
  /** Sends also what the receiver took before. */
  readonly sendsAgain?: boolean | undefined;
}

const monthMs = 30 * 24 * 3_600_000;

/**
 * Queues runs and sends everything that waits for the receiver. What was taken is noted before anything else is
 * sent, so it is not sent twice; a process that ends in between leaves at most one batch in doubt, which has the same
 * ids when it is sent again.
 */
export async function exportRuns(runs: readonly RunHeader[], options: ExportOptions): Promise<ExportReport> {
  const { project, receiver, signal, env, store } = options;
  using queue = new ExportQueue(project.folder, receiver.id);
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
  using client = new HttpClient({ env });
  const redact = projectRedaction(project, env, receiver.secrets);
  const sender = receiver.open({ store, queue, client, counts, redact, signal });
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
    const run = await store.findRun(next.runId);
    if (run) await sender.send(run);
    else if (Date.now() - next.queuedAt > monthMs) queue.finish(next.runId);
    else counts.fail(`run ${next.runId} is not in this store`);
  }
}
