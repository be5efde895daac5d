import type { Fault, Outcome } from '../domain/outcome.ts';
import type { Emit, RunHeader } from '../domain/run.ts';
import type { Scenario } from '../domain/scenario.ts';
import type { Trial } from '../domain/trial.ts';
import type { PreparedWork } from '../drive/targets/target.ts';
import type { FinishedTrial, Store } from '../keep/store/store.ts';
import type { Execution } from './execution.ts';

/** The trials that run until the next look at them. */
export interface Round {
  /** How many trials this round has, with all before it. */
  readonly planned: number;
  includes(trial: Trial): boolean;
}

/** Runs a trial; with a fault it does not begin, and the fault is its result. Undefined where it was interrupted. */
export type PerformTrial = (fault?: Fault) => Promise<FinishedTrial | undefined>;

/** Where a feature is at work. */
export interface FeaturePlace {
  readonly header: RunHeader;
  readonly scenarios: readonly Scenario[];
  readonly store: Store;
  /** Interrupts the run. */
  readonly signal: AbortSignal;
  readonly emit: Emit;
  /**
   * `alone`: this process runs every trial. `worker`: it runs some of them, in any order, and another process has the run.
   * `coordinator`: it has the run, and workers run the trials.
   */
  readonly role: 'alone' | 'worker' | 'coordinator';
}

/**
 * A feature of a run while the run goes on. Every step may be left out. Its state is its own where one process has the
 * run, and in the store where workers and resumed runs must see the same. Disposing of it ends a run that broke off.
 */
export interface RunFeature extends Partial<AsyncDisposable> {
  /** Before the first trial, in the process that has the run; a fault keeps every trial from beginning. */
  begin?(): Promise<Fault | undefined>;
  /** Called before the first trial and whenever all trials are stored; undefined when no further round is to run. */
  nextRound?(): Promise<Round | undefined>;
  /**
   * Why no further trial may begin, such as `2 failed, and --stop-after-failures is 2`; undefined where one may. Called before
   * each trial, wherever it runs, and while workers run them at every look at the store. Trials that run come to their end.
   * Every report of a run that did not run all of its trials has the reason.
   */
  stopped?(): string | undefined | Promise<string | undefined>;
  /** Runs before and after a trial, or instead of it; `perform` is called again only where its result is thrown away. */
  around?(trial: Trial, perform: PerformTrial): Promise<FinishedTrial | undefined>;
  /** Whether trials that share a server wait for `around` too, as for commands that reset the server. */
  readonly holdsTurn?: true;
  /**
   * When everything of a trial is set up and its target has not begun; `work` where it has a work directory. What it
   * throws is the fault of the trial.
   */
  prepared?(trial: Trial, work: PreparedWork | undefined, signal: AbortSignal): Promise<void>;
  /** Looks at a trial after its target was tried, and before it is evaluated. */
  check?(trial: Trial, execution: Execution): Execution | Promise<Execution>;
  /** Sees every event of the run. */
  listen?: Emit;
  /** After the last trial, also of an interrupted run, in the process that has the run. */
  end?(outcome: () => Promise<Outcome>): Promise<void>;
  /** Writes into the store what it noted of the trials; workers call it after each trial, others at the end. */
  save?(): Promise<void>;
}

/** The features that a run has. */
export type OpenFeatures = (place: FeaturePlace) => Promise<readonly RunFeature[]>;

/** The execution of a trial that did not begin: nothing of it was observed. */
export function notBegun(fault: Fault): Execution {
  const startedAt = Date.now();
  return { trace: [], fault, startedAt, durationMs: null, workspace: undefined, conversation: undefined };
}
