import { AssayError } from '../../domain/errors.ts';
import type { Experiment } from '../../domain/experiment.ts';
import type { HookProblem } from '../../domain/hook-problem.ts';
import type { Mark, MarkCounts } from '../../domain/marks.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type {
  CaseCounts,
  RunControls,
  RunCounts,
  RunHeader,
  RunLabelChange,
  RunScenario,
  RunSpending,
  RunStatus,
  RunWait,
} from '../../domain/run.ts';
import type { Trace } from '../../domain/trace.ts';
import type { TokenColumns } from '../../domain/usage.ts';
import type { Variant } from '../../domain/variant.ts';
import type { ProcessIdentity } from '../../shared/processes/process-identity.ts';
import type { Rows } from '../../shared/rows.ts';

/** A record and its trace, as they are handed over together. */
export interface FinishedTrial {
  readonly record: TrialRecord;
  readonly trace: Trace;
}

/** An attempt at a trial that was set aside for a later one; the first has the number 1. */
export interface EarlierAttempt extends FinishedTrial {
  readonly attempt: number;
}

/** Which trials of a run to read, a page at a time, in plan order. */
export interface TrialPageRequest {
  readonly limit: number;
  /** Ordinal of the last trial of the page before; pages start after it. */
  readonly after?: number | undefined;
  readonly outcomes?: readonly Outcome[] | undefined;
  /** Only trials of these; at most some thousand. */
  readonly cases?: readonly CaseOfScenario[] | undefined;
}

export interface CaseOfScenario {
  readonly scenario: string;
  readonly caseId: string;
}

/** Where a trace lies; only the store that gave it can use it. */
export interface TracePlace {
  readonly pack: number;
  readonly slot: number;
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
  /** Of those that passed. */
  readonly notJudged: number;
  /** Of those that were judged, by what Assay stood in for. */
  readonly marks: MarkCounts;
  /** Of all of them together; null where one of them was not measured. */
  readonly durationMs: number | null;
}

/** Trials that did not pass and are alike in scenario, outcome and reason, represented by the first of them. */
export interface ProblemGroup {
  readonly first: TrialRecord;
  readonly count: number;
}

/** A part of a list; `next` asks for what follows, and is null at the end. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** A run in a list, with how its trials ended. */
export interface RunRow {
  readonly run: RunHeader;
  readonly counts: RunCounts;
}

/** Which runs to list, the newest first. */
export interface RunRowRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly status?: RunStatus | undefined;
  /**
   * Part of the id, of a name, a tag or notes given by the user, of the commit, its branch or author, or of the name or
   * file of a scenario; case does not matter.
   */
  readonly text?: string | undefined;
  /** False: without archived runs; true: only those. */
  readonly isArchived?: boolean | undefined;
  /** Runs that began at or after this time. */
  readonly since?: number | undefined;
}

/** A trial in a list: what its row holds, without the findings, which lie in packs. */
export interface TrialRow extends TokenColumns {
  readonly trialId: string;
  readonly runId: string;
  readonly ordinal: number;
  readonly scenario: string;
  readonly file: string;
  readonly caseId: string;
  readonly variant: Variant;
  readonly repeat: number;
  readonly outcome: Outcome;
  readonly reason: string;
  readonly faultCode: string | null;
  readonly startedAt: number;
  readonly durationMs: number | null;
  readonly costUsd: number | null;
  readonly marks: readonly Mark[];
}

/** Columns that a list of trials can be ordered by. */
export type TrialOrder = 'plan' | 'started' | 'duration' | 'cost';

/** Which trials of a run to list. */
export interface TrialRowRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly outcomes?: readonly Outcome[] | undefined;
  readonly scenario?: string | undefined;
  readonly variant?: Variant | undefined;
  /** Only those at these places of the plan; at most some hundred. */
  readonly ordinals?: readonly number[] | undefined;
  /** Only these; at most some thousand. */
  readonly trialIds?: readonly string[] | undefined;
  /** Part of the scenario's name, the case, the variant, the reason or the id; case does not matter. */
  readonly text?: string | undefined;
  /** By default as planned. */
  readonly order?: TrialOrder | undefined;
  readonly isDescending?: boolean | undefined;
}

/** How the trials of one scenario under one variant ended. */
export interface CellCounts {
  readonly scenario: string;
  readonly file: string;
  readonly variant: Variant;
  readonly pass: number;
  readonly fail: number;
  readonly error: number;
  readonly skipped: number;
  /** Of those that passed. */
  readonly notJudged: number;
  /** Of those that were judged, by what Assay stood in for. */
  readonly marks: MarkCounts;
  /** Of all of them together; null where one of them was not measured. */
  readonly durationMs: number | null;
  /** Of all of them together; null where one of them did not report it. */
  readonly costUsd: number | null;
}

/** Who runs a run: a process, or workers that share its trials. */
export type RunHolder =
  | ({ readonly kind: 'process'; readonly claimId: string; readonly since: number } & ProcessIdentity)
  | { readonly kind: 'workers' };

/** How a run ends. */
export interface RunEnding {
  readonly status: RunStatus;
  readonly finishedAt: number;
}

/** A process that wants to run a run, and for how long it is believed without a further word of it. */
export interface RunClaim extends ProcessIdentity {
  /** Unique to this claim. */
  readonly claimId: string;
  readonly leaseMs: number;
  /** Whether workers may run its trials at the same time. */
  readonly isShared: boolean;
}

/** SHA-256 of the definitions of a server's tools, by their names. */
export type ToolPins = Readonly<Record<string, string>>;

/** Tools as a trial met them. */
export interface MetTools {
  /** Of all trials that meet the same definitions. */
  readonly server: string;
  readonly pins: ToolPins;
  /** The server has announced a change, and such changes are accepted. */
  readonly isAnnounced: boolean;
}

/** Keeps runs, records and traces. One contract suite runs on every implementation. */
export interface Store extends AsyncDisposable {
  createRun(run: RunHeader): Promise<void>;
  setRunStatus(runId: string, status: RunStatus, finishedAt: number | null): Promise<void>;
  /**
   * Makes a process the one that runs a run, which is `running` then. Of several that try at once exactly one succeeds;
   * the others are given the one that has it.
   */
  claimRun(runId: string, claim: RunClaim): Promise<RunHolder | undefined>;
  /** Extends a claim; false when another process has the run now. */
  renewClaim(runId: string, claim: Pick<RunClaim, 'claimId' | 'leaseMs'>): Promise<boolean>;
  /** Gives a run back, with the status that it ends with, if any; false when another process has it now. */
  releaseRun(runId: string, claimId: string, ending?: RunEnding): Promise<boolean>;
  /** The process that runs a run; undefined where there is none. */
  findHolder(runId: string): Promise<RunHolder | undefined>;
  /** Changes settings of a run, which its process or its workers take up; those that are left out stay as they are. */
  changeControls(
    runId: string,
    change: { readonly concurrency?: number | undefined; readonly maxUsd?: number | undefined },
  ): Promise<void>;
  /** Lets no further trial of a run begin; false where it is paused already. */
  pauseRun(runId: string): Promise<boolean>;
  /** Ends a pause; false where the run was not paused. */
  continueRun(runId: string): Promise<boolean>;
  /**
   * To be called by a process that begins or resumes a run: forgets earlier changes, ends a pause, and keeps the spending
   * limit, if there is one. Gives the settings as they were.
   */
  beginControls(runId: string, maxUsd: number | undefined): Promise<RunControls | undefined>;
  /** Undefined where nothing was ever changed. */
  readControls(runId: string): Promise<RunControls | undefined>;
  /** Adds waits for rate limits to those that the run has; several machines may do so at once. */
  addWaits(runId: string, waits: readonly RunWait[]): Promise<void>;
  /** Keeps what all processes of a run sent to models. */
  setSpending(runId: string, spending: RunSpending): Promise<void>;
  /** Adds failures of `after` hooks to those that the run has; several machines may do so at once. */
  addHookProblems(runId: string, problems: readonly HookProblem[]): Promise<void>;
  /** Keeps how an experiment has gone so far, and how many trials its rounds have. */
  setExperiment(runId: string, planned: number, experiment: Experiment): Promise<void>;
  /** Keeps how many trials and which scenarios a run has by now whose trials are not known when it begins. */
  growRun(runId: string, planned: number, scenarios: readonly RunScenario[]): Promise<void>;
  /** Changes the name, tags, notes or archive mark of a run; false where there is no such run. */
  labelRun(runId: string, change: RunLabelChange): Promise<boolean>;
  /** Keeps that a run was compared before its end, with so many trials. */
  addEarlyLook(runId: string, trials: number): Promise<void>;
  /** Keeps why no further trial of a run begins, each reason once. */
  addStop(runId: string, reason: string): Promise<void>;
  /**
   * Keeps the tools that a run meets first, and those that a server announces later; gives all that are kept. Of several
   * that try at once one decides which are the first.
   */
  pinTools(runId: string, met: MetTools): Promise<readonly ToolPins[]>;
  /** Resolves when all of them are durable; a trial that is already stored is left as it is. */
  saveTrials(trials: readonly FinishedTrial[]): Promise<void>;
  /** Those of the given trials that are stored. */
  storedTrialIds(trialIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** The newest runs first, archived ones included. */
  listRuns(limit: number): Promise<RunHeader[]>;
  /** A page of a list of runs; the newest first. */
  readRunRows(request: RunRowRequest): Promise<Page<RunRow>>;
  /** The newest runs that have ended and ran this scenario themselves, the newest first; none with an edited input. */
  listRunsOfScenario(scenario: string, limit: number): Promise<RunHeader[]>;
  /** How many runs there are; by whether they are archived, where that is given. */
  countRuns(isArchived?: boolean): Promise<number>;
  /** By id or by an unambiguous beginning of it; `latest` is the newest run that is not archived, `latest~1` the one before. */
  findRun(idOrPrefix: string): Promise<RunHeader | undefined>;
  countTrials(runId: string): Promise<RunCounts>;
  /** In plan order; scenarios of which no trial is stored are left out. */
  countByScenario(runId: string): Promise<ScenarioCounts[]>;
  /** In plan order of the scenarios. */
  countByCell(runId: string): Promise<CellCounts[]>;
  /**
   * Each case under each variant, of one scenario or all, in plan order, trials with other marks apart; cases of which no
   * trial is stored are left out.
   */
  countByCase(runId: string, scenario?: string): Promise<Rows<CaseCounts>>;
  readTrials(runId: string, page: TrialPageRequest): Promise<TrialRecord[]>;
  /** A page of a list of trials; as quick for the last page of a large run as for the first. */
  readTrialRows(runId: string, request: TrialRowRequest): Promise<Page<TrialRow>>;
  /** Trials that did not pass, grouped, in plan order of the first of each group. */
  readProblems(runId: string, limit: number): Promise<ProblemGroup[]>;
  /** The newest trials of scenarios with this name, newest first. */
  findTrialsOfScenario(scenario: string, limit: number): Promise<TrialRecord[]>;
  findTrial(idOrPrefix: string): Promise<TrialRecord | undefined>;
  /**
   * Sets trials of a run that ended in an error aside as earlier attempts, so they count as not run; what they cost
   * still counts. Gives their number. Of chosen trials, those that have another outcome stay as they are; the process
   * that runs the run runs them again.
   */
  setAsideErrors(runId: string, trialIds?: readonly string[]): Promise<number>;
  /** Puts records in the place of trials that waited for their judge; trials that do not wait stay as they are. */
  replaceWaiting(trials: readonly FinishedTrial[]): Promise<void>;
  /** Puts records in the place of stored trials with the same ids, which more is known of now; others are added. */
  replaceTrials(trials: readonly FinishedTrial[]): Promise<void>;
  /** Stores earlier attempts of another store; those that are stored already stay as they are. */
  saveAttempts(attempts: readonly EarlierAttempt[]): Promise<void>;
  /** Earlier attempts of a trial, the first one first. */
  readAttempts(trialId: string): Promise<TrialRecord[]>;
  readTrace(trialId: string): Promise<Trace | undefined>;
  /** Where the traces of trials lie, by the ids of the trials; for as long as the trials are not replaced. */
  locateTraces(trialIds: readonly string[]): Promise<ReadonlyMap<string, TracePlace>>;
  readTraceAt(place: TracePlace): Promise<Trace>;
  /** Bytes of the records and traces of each run, as they are stored; runs without trials are left out. */
  readRunSizes(): Promise<ReadonlyMap<string, number>>;
  /** The result kept of a run under this name; undefined where it is not there, was kept with another stamp, or is damaged. */
  readSummary(runId: string, name: string, stamp: string): Promise<Uint8Array | undefined>;
  /** Keeps a result of reading all trials of a run; replacing trials of the run removes it. */
  saveSummary(runId: string, name: string, stamp: string, body: Uint8Array): Promise<void>;
  /** Removes those of the runs that do not go on, with all that belongs to them; gives their ids. */
  deleteRuns(runIds: readonly string[]): Promise<string[]>;
}

/** The run with this id, or with the only id that begins so; `latest` is the newest. */
export async function requireRun(store: Store, idOrPrefix: string, hint?: string): Promise<RunHeader> {
  const run = await store.findRun(idOrPrefix);
  if (run) return run;
  throw (
    tooFewRuns(idOrPrefix) ?? new AssayError('NOT_FOUND', `There is no run "${idOrPrefix}" in the store.`, { hint })
  );
}

/** Why there is no `latest~3`; undefined for a name that does not count runs. */
export function tooFewRuns(name: string): AssayError | undefined {
  const [latest, before = 0] = /^latest(?:~(\d{1,6}))?$/.exec(name) ?? [];
  if (latest === undefined) return undefined;
  const wanted = Number(before) + 1;
  if (wanted === 1) return nothingStored();
  return new AssayError('NOT_FOUND', `Fewer than ${wanted} runs are stored, so there is no "${name}".`);
}

/** Of a store without runs. */
export function nothingStored(): AssayError {
  return new AssayError('NOT_FOUND', 'No runs are stored yet.', { hint: 'Start one with `assay run`.' });
}

/** The trial with this id, or with the only id that begins so. */
export async function requireTrial(store: Store, idOrPrefix: string): Promise<TrialRecord> {
  const record = await store.findTrial(idOrPrefix);
  if (record) return record;
  throw new AssayError('NOT_FOUND', `There is no trial "${idOrPrefix}" in the store.`);
}

/** The trials of a run in plan order, read in pages, so a run of any size fits in memory. */
export async function* eachTrial(
  store: Store,
  runId: string,
  outcomes?: readonly Outcome[],
  cases?: readonly CaseOfScenario[],
  /** Small where only the first are wanted. */
  pageSize = 500,
): AsyncGenerator<TrialRecord, void> {
  for await (const page of trialPages(store, runId, outcomes, cases, pageSize)) yield* page;
}

/** A trial whose trace is read when it is wanted: one at a time is in memory. */
export interface TracedTrial {
  readonly record: TrialRecord;
  readTrace(): Promise<Trace>;
}

/** The same with their traces, which are found for a whole page at once. */
export async function* eachTracedTrial(
  store: Store,
  runId: string,
  outcomes?: readonly Outcome[],
): AsyncGenerator<TracedTrial, void> {
  for await (const page of trialPages(store, runId, outcomes)) {
    const places = await store.locateTraces(page.map(({ trialId }) => trialId));
    for (const record of page) {
      const place = places.get(record.trialId);
      yield { record, readTrace: async () => (place ? store.readTraceAt(place) : []) };
    }
  }
}

async function* trialPages(
  store: Store,
  runId: string,
  outcomes?: readonly Outcome[],
  cases?: readonly CaseOfScenario[],
  limit = 500,
): AsyncGenerator<TrialRecord[], void> {
  let after: number | undefined;
  for (;;) {
    const page = await store.readTrials(runId, { limit, after, outcomes, cases });
    yield page;
    if (page.length < limit) return;
    after = page.at(-1)?.ordinal;
    // SQLite answers at once: without a pause, nothing else of this process would have its turn until the end.
    await new Promise((resolve) => setTimeout(resolve));
  }
}
