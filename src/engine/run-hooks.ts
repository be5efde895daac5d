import type { HookProblem } from '../domain/hook-problem.ts';
import type { Fault, Outcome } from '../domain/outcome.ts';
import type { Trial } from '../domain/trial.ts';
import type { FinishedTrial } from '../keep/store/store.ts';
import type { Execution } from './execution.ts';

/** Where hooks run. */
export interface HooksPlace {
  /** Interrupts the run. */
  readonly signal: AbortSignal;
  /** Whether another process has the run, and this one only some of its trials, in any order. */
  readonly isWorker?: boolean | undefined;
}

/** Commands of the project around a run, its scenarios and its trials. Disposing of them ends a run that broke off. */
export interface RunHooks extends AsyncDisposable {
  /** To be called once before the first trial; gives why no trial can begin. */
  beforeRun(): Promise<Fault | undefined>;
  /**
   * Runs an attempt between the hooks of its trial and of its scenario. It gets the fault of a hook that failed
   * before it, and must not begin then; it is not called when the run was interrupted.
   */
  around(
    trial: Trial,
    attempt: (fault: Fault | undefined) => Promise<FinishedTrial | undefined>,
  ): Promise<FinishedTrial | undefined>;
  /** Runs what comes after the open scenarios, then after the run. */
  end(outcome: () => Promise<Outcome>): Promise<void>;
  /** Failures since it was last called that change no verdict. */
  takeProblems(): readonly HookProblem[];
}

/** The execution of a trial that did not begin: nothing of it was observed. */
export function notBegun(fault: Fault): Execution {
  const startedAt = Date.now();
  return { trace: [], fault, startedAt, durationMs: null, workspace: undefined, conversation: undefined };
}
