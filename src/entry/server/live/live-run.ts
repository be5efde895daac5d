import { AssayError } from '../../../domain/errors.ts';
import type { RunCounts, RunEvent, RunStatus, RunSummary } from '../../../domain/run.ts';
import { refusalOf } from '../refusal.ts';
import { EventFeed } from './event-feed.ts';
import { RunProgress } from './run-progress.ts';

/** Calls a function soon after a request, but at most once per interval. */
class Throttle implements Disposable {
  readonly #call: () => void;
  readonly #intervalMs: number;
  #calledAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(intervalMs: number, call: () => void) {
    this.#intervalMs = intervalMs;
    this.#call = call;
  }

  request(): void {
    if (this.#timer) return;
    const waitMs = Math.max(this.#calledAtMs + this.#intervalMs - Date.now(), 0);
    this.#timer = setTimeout(() => this.flush(), waitMs);
    this.#timer.unref();
  }

  /** Calls it now. */
  flush(): void {
    this[Symbol.dispose]();
    this.#calledAtMs = Date.now();
    this.#call();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** People cannot follow more events than this. */
const eventIntervalMs = 250;
const mostWarnings = 20;

/** A run that goes on in this process. */
export class LiveRun {
  readonly feed = new EventFeed();
  readonly #controller = new AbortController();
  readonly #progress: RunProgress;
  readonly #throttle: Throttle;
  #status: RunStatus = 'running';
  #summary: RunSummary | undefined;
  #warnings: string[] = [];
  #warningCount = 0;

  constructor(storedBefore: RunCounts) {
    this.#progress = new RunProgress(storedBefore);
    this.#throttle = new Throttle(eventIntervalMs, () => this.#publish());
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly listen = (event: RunEvent): void => {
    this.#progress.listen(event);
    if (event.type === 'warning') this.#warn(event.message);
    if (event.type === 'run-changed') this.#status = event.isPaused ? 'paused' : 'running';
    if (event.type === 'run-finished') this.#summary = event.summary;
    this.#throttle.request();
  };

  /** Finished trials are stored; the others are not run. */
  cancel(): void {
    this.#controller.abort();
  }

  /** Publishes the result after the run has ended. */
  finish(): void {
    if (!this.#summary) {
      this.fail(new AssayError('INTERNAL', 'The run ended without a summary.'));
      return;
    }
    const { run, totals, outcome, reason } = this.#summary;
    this.#status = run.status;
    this.#throttle.flush();
    this.feed.publish({ type: 'finished', status: run.status, totals, outcome, reason });
    this.feed.close();
  }

  /** Publishes that the run itself broke. */
  fail(error: unknown): void {
    this.#status = 'interrupted';
    this.#throttle.flush();
    const { error: message, code, hint } = refusalOf(error).body;
    this.feed.publish({ type: 'failed', error: { error: message, code, ...(hint === undefined ? {} : { hint }) } });
    this.feed.close();
  }

  #warn(message: string): void {
    this.#warningCount += 1;
    if (this.#warningCount < mostWarnings) this.#warnings.push(message);
    if (this.#warningCount === mostWarnings) this.#warnings.push('There are more warnings; these were the first.');
  }

  #publish(): void {
    const warnings = this.#warnings;
    this.#warnings = [];
    for (const message of warnings) this.feed.publish({ type: 'warning', message });
    this.feed.publish(this.#progress.take(this.#status, Date.now()));
  }
}
