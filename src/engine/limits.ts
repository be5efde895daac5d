import { AssayError, asAssayError } from '../domain/errors.ts';
import { type Fault, faultOf } from '../domain/outcome.ts';
import { formatDuration } from '../shared/durations.ts';

/** How long a target may take to let go after its time is up, before the trial ends without it. */
const letGoMs = 3_000;

const timeIsUp = Symbol('time is up');
const runInterrupted = Symbol('run interrupted');

type Stop = (reason: symbol) => void;

/** Ends attempts when their time is up or when the whole run is interrupted. */
export class AttemptLimits {
  readonly #signal: AbortSignal;
  readonly #attempts = new Set<Stop>();

  /** Listens to the run's signal once, however many attempts there will be. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => {
      for (const stop of this.#attempts) stop(runInterrupted);
    });
  }

  /** Runs an attempt within its time; gives the fault that ended it, or undefined when it ended by itself. */
  async within(
    timeoutMs: number,
    attempt: (signal: AbortSignal) => Promise<void>,
  ): Promise<Fault | undefined | 'interrupted'> {
    if (this.#signal.aborted) return 'interrupted';
    const controller = new AbortController();
    let giveUp: NodeJS.Timeout | undefined;
    let abandon: () => void = () => {};
    const abandoned = new Promise<void>((resolve) => {
      abandon = resolve;
    });
    const stop: Stop = (reason) => {
      controller.abort(reason);
      giveUp ??= setTimeout(abandon, letGoMs);
    };
    const timer = setTimeout(stop, timeoutMs, timeIsUp);
    this.#attempts.add(stop);
    try {
      await Promise.race([attempt(controller.signal), abandoned]);
      return endReason(controller.signal, timeoutMs);
    } catch (error) {
      return endReason(controller.signal, timeoutMs, error) ?? faultOf(asAssayError(error));
    } finally {
      clearTimeout(timer);
      clearTimeout(giveUp);
      this.#attempts.delete(stop);
    }
  }
}

/** Once the signal was given, what the target says afterwards is a consequence of it, unless it never got a turn. */
function endReason(signal: AbortSignal, timeoutMs: number, error?: unknown): Fault | undefined | 'interrupted' {
  if (signal.reason === runInterrupted) return 'interrupted';
  const hadNoTurn = error instanceof AssayError && error.code === 'TARGET_STOPPED';
  if (signal.reason !== timeIsUp || hadNoTurn) return undefined;
  return faultOf(new AssayError('TARGET_TIMEOUT', `No answer within ${formatDuration(timeoutMs)}.`));
}
