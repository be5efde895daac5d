import { AssayError, asAssayError } from '../domain/errors.ts';
import { type Fault, faultOf } from '../domain/outcome.ts';
import type { Trace, TraceEvent } from '../domain/trace.ts';
import type { Trial } from '../domain/trial.ts';
import { formatDuration } from '../shared/durations.ts';
import type { EmitTrace } from '../targets/target.ts';
import type { TargetPool } from './target-pool.ts';

/** What became of a trial before it was judged. */
export interface Execution {
  readonly trace: Trace;
  readonly fault: Fault | undefined;
  readonly startedAt: number;
  readonly durationMs: number;
}

/** How long a target may take to let go after its time is up, before the trial ends without it. */
const letGoMs = 3_000;

const timeIsUp = Symbol('time is up');
const runInterrupted = Symbol('run interrupted');

/** Tries the target once within the scenario's time limit. Every fault ends in the execution, none is thrown. */
export async function execute(
  trial: Trial,
  targets: TargetPool,
  runSignal: AbortSignal,
): Promise<Execution | 'interrupted'> {
  const startedAt = Date.now();
  const began = performance.now();
  const trace: TraceEvent[] = [];
  const emit: EmitTrace = (event) => {
    trace.push({ ...event, at: roundMs(performance.now() - began), seenBy: 'engine' } as TraceEvent);
  };
  const { timeoutMs } = trial.scenario;
  const fault = await withinLimit(timeoutMs, runSignal, async (signal) => {
    using lease = await targets.lease(trial.scenario);
    await lease.target.attempt(trial, emit, signal);
  });
  if (fault === runInterrupted) return 'interrupted';
  return { trace, fault, startedAt, durationMs: roundMs(performance.now() - began) };
}

async function withinLimit(
  timeoutMs: number,
  runSignal: AbortSignal,
  attempt: (signal: AbortSignal) => Promise<void>,
): Promise<Fault | undefined | typeof runInterrupted> {
  const controller = new AbortController();
  let giveUp: NodeJS.Timeout | undefined;
  let abandon: () => void = () => {};
  const abandoned = new Promise<void>((resolve) => {
    abandon = resolve;
  });
  const stop = (reason: symbol): void => {
    controller.abort(reason);
    giveUp = setTimeout(abandon, letGoMs);
  };
  const interrupt = (): void => stop(runInterrupted);
  const timer = setTimeout(stop, timeoutMs, timeIsUp);
  runSignal.addEventListener('abort', interrupt, { once: true });
  if (runSignal.aborted) interrupt();
  try {
    await Promise.race([attempt(controller.signal), abandoned]);
    return endReason(controller.signal, timeoutMs, undefined);
  } catch (error) {
    return endReason(controller.signal, timeoutMs, error);
  } finally {
    clearTimeout(timer);
    clearTimeout(giveUp);
    runSignal.removeEventListener('abort', interrupt);
  }
}

/** Once the signal was given, whatever the target says afterwards is a consequence of it. */
function endReason(signal: AbortSignal, timeoutMs: number, error: unknown): Fault | undefined | typeof runInterrupted {
  if (signal.reason === runInterrupted) return runInterrupted;
  if (signal.reason === timeIsUp) {
    return faultOf(new AssayError('TARGET_TIMEOUT', `No answer within ${formatDuration(timeoutMs)}.`));
  }
  return error === undefined ? undefined : faultOf(asAssayError(error));
}

function roundMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}
