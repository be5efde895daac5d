import type { Outcome } from '../domain/outcome.ts';
import type { TrialRecord } from '../domain/record.ts';
import type { RunCounts, RunHeader, RunStatus } from '../domain/run.ts';
import type { Trace } from '../domain/trace.ts';

/** A record and its trace, as they are handed over together. */
export interface FinishedTrial {
  readonly record: TrialRecord;
  readonly trace: Trace;
}

/** Which trials of a run to read, a page at a time, in plan order. */
export interface TrialPageRequest {
  readonly limit: number;
  /** Ordinal of the last trial of the page before; pages start after it. */
  readonly after?: number | undefined;
  readonly outcomes?: readonly Outcome[] | undefined;
}

/** How the trials of one scenario of a run ended; they lie side by side in the plan. */
export interface ScenarioCounts {
  readonly scenario: string;
  readonly file: string;
  readonly firstOrdinal: number;
  readonly lastOrdinal: number;
  readonly pass: number;
  readonly fail: number;
  readonly error: number;
  readonly durationMs: number;
}

/** Trials that did not pass and are alike in scenario, outcome and reason, told by the first of them. */
export interface ProblemGroup {
  readonly first: TrialRecord;
  readonly count: number;
}

/** Keeps runs, records and traces. One contract suite runs on every implementation. */
export interface Store extends AsyncDisposable {
  createRun(run: RunHeader): Promise<void>;
  setRunStatus(runId: string, status: RunStatus, finishedAt: number | null): Promise<void>;
  /** Resolves when all of them are durable; a trial that is already stored is left as it is. */
  saveTrials(trials: readonly FinishedTrial[]): Promise<void>;
  /** Those of the given trials that are stored. */
  storedTrialIds(trialIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** The newest runs first. */
  listRuns(limit: number): Promise<RunHeader[]>;
  /** By id or by an unambiguous beginning of it; `latest` is the newest run. */
  findRun(idOrPrefix: string): Promise<RunHeader | undefined>;
  countTrials(runId: string): Promise<RunCounts>;
  /** In plan order; scenarios of which no trial is stored are left out. */
  countByScenario(runId: string): Promise<ScenarioCounts[]>;
  readTrials(runId: string, page: TrialPageRequest): Promise<TrialRecord[]>;
  /** What did not pass, in plan order of the first of each group. */
  readProblems(runId: string, limit: number): Promise<ProblemGroup[]>;
  /** The newest trials of scenarios with this name, newest first. */
  findTrialsOfScenario(scenario: string, limit: number): Promise<TrialRecord[]>;
  findTrial(idOrPrefix: string): Promise<TrialRecord | undefined>;
  readTrace(trialId: string): Promise<Trace | undefined>;
  /** Removes runs that began before the given time, with their trials and traces; gives their ids. */
  deleteRunsBefore(startedAt: number): Promise<string[]>;
}

/** All trials of a run in plan order, read in pages so that a run of any size fits in memory. */
export async function* eachTrial(
  store: Store,
  runId: string,
  outcomes?: readonly Outcome[],
): AsyncGenerator<TrialRecord, void> {
  const limit = 500;
  let after: number | undefined;
  for (;;) {
    const page = await store.readTrials(runId, { limit, after, outcomes });
    yield* page;
    if (page.length < limit) return;
    after = page.at(-1)?.ordinal;
  }
}
