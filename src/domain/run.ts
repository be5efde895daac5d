import * as z from 'zod';
import { grouped } from '../shared/format.ts';
import { lazySchema } from '../shared/lazy-schema.ts';
import { scenarioCiSchema } from './ci.ts';
import type { CostSum } from './cost-sum.ts';
import { noCost, wholeCost } from './cost-sum.ts';
import { type ExperimentLook, experimentPlanSchema, experimentSchema } from './experiment.ts';
import { type HookProblem, hookProblemSchema, mergedHookProblems } from './hook-problem.ts';
import { type Mark, type MarkCounts, markCountsText } from './marks.ts';
import { serverPartSchema } from './mcp-findings.ts';
import { keptFields } from './option-schema.ts';
import type { TrialRecord } from './record.ts';
import { scenarioIdentitySchema } from './scenario-identity.ts';
import { noTokens, type TokenSum, wholeUsage } from './token-sum.ts';
import type { Usage } from './usage.ts';
import { type Variant, variantSchema } from './variant.ts';

/** A scenario as it was during a run; its hash shows whether the file is still the same. */
export const runScenarioSchema = lazySchema(() =>
  z.object({
    name: z.string(),
    file: z.string(),
    contentHash: z.string(),
    identity: scenarioIdentitySchema.optional().describe('task and subject apart; absent where they are not known'),
    caseCount: z.number(),
    repeat: z.number(),
    isAgentDriven: z.boolean().default(false),
    isConversation: z.boolean().default(false),
    serverPart: serverPartSchema.nullable().default(null),
    ci: scenarioCiSchema.optional().describe('how its results count in CI; absent if the file says nothing'),
    calledFiles: z
      .record(z.string(), z.string())
      .optional()
      .describe('hashes of the files in the project that its target names and imports, by path'),
  }),
);
export type RunScenario = z.infer<typeof runScenarioSchema>;

/**
 * Where the trials of a run come from when its scenarios were not run as the files have them: a file made elsewhere, the
 * traces of another run, or a trial whose input was edited.
 */
export const runOriginSchema = lazySchema(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('import'),
      file: z.string(),
      format: z.string(),
      isCollected: z.literal(true).optional().describe('its traces were sent to `/v1/traces` and not read from a file'),
    }),
    z.object({ kind: z.literal('rescore'), runId: z.string() }),
    z.object({ kind: z.literal('evaluate'), file: z.string(), format: z.string() }),
    z.object({
      kind: z.literal('rule'),
      rule: z.string().describe('name of the rule that judged collected traces'),
      period: z.string().describe('hour or day of the run, in UTC'),
    }),
    z.object({ kind: z.literal('edit'), runId: z.string(), trialId: z.string() }),
  ]),
);
export type RunOrigin = z.infer<typeof runOriginSchema>;

/** The options that a run keeps to go on or to be run again, and how its trials were chosen. */
export const runRequestSchema = lazySchema(() =>
  z.object({
    ...keptFields(),
    paths: z.array(z.string()).readonly(),
    origin: runOriginSchema.nullable().default(null),
    scenarios: z.array(z.string()).optional().describe('names of the scenarios to run; absent: all'),
    execution: z.int().optional().describe('number of the execution of the eval in the project'),
    only: z
      .object({
        runId: z.string(),
        cases: z.array(
          z.object({ file: z.string(), scenario: z.string(), caseId: z.string(), variant: variantSchema }),
        ),
      })
      .optional()
      .describe('cases of an earlier run that are run again; absent: all cases'),
    improvement: z
      .object({ id: z.string(), stage: z.string() })
      .optional()
      .describe('the improvement that the run belongs to, and what it is for'),
    experiment: experimentPlanSchema.optional().describe('runs its trials in rounds; absent: all at once'),
  }),
);
export type RunRequest = z.infer<typeof runRequestSchema>;

/** The format of the file that the trials of a run are from, or of the traces that were sent; undefined for other runs. */
export function importedFrom({ request }: { readonly request: Pick<RunRequest, 'origin'> }): string | undefined {
  return request.origin?.kind === 'import' ? request.origin.format : undefined;
}

/** Whether a run tried an input that is in no file: it is shown, and is never evidence. */
export function isEdited({ request }: { readonly request: Pick<RunRequest, 'origin'> }): boolean {
  return request.origin?.kind === 'edit';
}

/** Whether the trials of a run are traces that an application sent. */
export function isCollected({ request }: { readonly request: Pick<RunRequest, 'origin'> }): boolean {
  return request.origin?.kind === 'import' && request.origin.isCollected === true;
}

export const runStatusSchema = z.enum(['running', 'paused', 'finished', 'interrupted']);
export type RunStatus = z.infer<typeof runStatusSchema>;

/** Whether a run with this status has a process or workers. */
export function isLiveStatus(status: RunStatus): boolean {
  return status === 'running' || status === 'paused';
}

/** Changes of a live run. */
export const controlActions = ['pause', 'continue', 'set', 'requeue'] as const;

/** Settings of a live run that can be changed from outside. */
export interface RunControls {
  readonly isPaused: boolean;
  /** Time of all pauses so far. */
  readonly pausedMs: number;
  /** Null: as the run was started. */
  readonly concurrency: number | null;
  /** Null: the run has no spending limit. */
  readonly maxUsd: number | null;
  /** How often trials were set aside to be run again. */
  readonly requeues: number;
}

/** How a server's rate limit slowed down the requests of a run. */
export const runWaitSchema = lazySchema(() =>
  z.object({
    origin: z.string(),
    refusals: z.number().describe('answers with status 429 or 503'),
    waits: z.number().describe('requests that waited for their turn'),
    waitedMs: z.number().describe('time of all these waits together'),
    lowest: z.number().nullable().describe('fewest requests at a time; null: never limited'),
  }),
);
export type RunWait = z.infer<typeof runWaitSchema>;

/** Tags, notes and the archive mark of a run; they say nothing about its trials. */
export const runLabelsSchema = lazySchema(() =>
  z.object({
    tags: z.array(z.string()).optional(),
    notes: z.string().optional(),
    isArchived: z.literal(true).optional().describe('lists leave it out'),
  }),
);
export type RunLabels = z.infer<typeof runLabelsSchema>;

/** The commit of the project's repository when a run began. */
export const runSourceSchema = lazySchema(() =>
  z.object({
    commit: z.string(),
    branch: z.string().nullable().describe('null: no branch was checked out'),
    author: z.string().nullable().describe('of the commit; null: unknown'),
    isDirty: z.boolean().nullable().describe('tracked files differed from the commit; null: unknown'),
  }),
);
export type RunSource = z.infer<typeof runSourceSchema>;

/** A change of a run's name and labels; keys that are left out stay as they are. */
export interface RunLabelChange {
  /** Empty: without a name. */
  readonly name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly notes?: string | undefined;
  readonly isArchived?: boolean | undefined;
}

/** The labels of a run after a change; empty ones are left out. */
export function changedLabels(labels: RunLabels, { tags, notes, isArchived }: RunLabelChange): RunLabels {
  const next = {
    tags: tags ? [...new Set(tags)] : (labels.tags ?? []),
    notes: notes ?? labels.notes ?? '',
    isArchived: isArchived ?? labels.isArchived ?? false,
  };
  return {
    ...(next.tags.length > 0 && { tags: next.tags }),
    ...(next.notes !== '' && { notes: next.notes }),
    ...(next.isArchived && { isArchived: true as const }),
  };
}

/** The trials started together. */
/** Requests to models of all processes of a run, those that were killed too. */
export const runSpendingSchema = z.object({
  requests: z.number().describe('requests that were sent'),
  unanswered: z.number().describe('of those, requests whose cost is not known, such as those on their way at a kill'),
  costUsd: z.number().describe('cost of the others'),
  mostUnknownUsd: z.number().describe('the most that the unanswered ones can have cost; 0 without a spending limit'),
});
export type RunSpending = z.infer<typeof runSpendingSchema>;

export const runHeaderSchema = lazySchema(() =>
  z.object({
    runId: z.string(),
    startedAt: z.number(),
    finishedAt: z.number().nullable(),
    status: runStatusSchema,
    planned: z.number(),
    assayVersion: z.string(),
    request: runRequestSchema,
    scenarios: z.array(runScenarioSchema),
    pausedMs: z
      .number()
      .optional()
      .describe('time in which the run was paused, or had ended before it was resumed; absent without either'),
    waits: z.array(runWaitSchema).optional().describe('waits for rate limits; absent if there were none'),
    hookProblems: z
      .array(hookProblemSchema)
      .optional()
      .describe('commands of `after` hooks that failed; absent if there were none'),
    experiment: experimentSchema.optional().describe('rounds of an experiment so far; absent if it is none'),
    earlyLooks: z
      .array(z.number())
      .optional()
      .describe('how many trials there were when it was compared before its end; absent if it never was'),
    stops: z
      .array(z.string())
      .optional()
      .describe('why no further trial began before all had run; absent if nothing stopped it'),
    spending: runSpendingSchema
      .optional()
      .describe('what all of its processes sent to models; absent if it was never resumed'),
    labels: runLabelsSchema.optional().describe('tags and notes; absent if a run has none'),
    source: runSourceSchema.optional().describe('the commit that it was started on; absent outside a repository'),
  }),
);
export type RunHeader = z.infer<typeof runHeaderSchema>;

/** A run with further waits: those for one server are one entry. */
export function withWaits(run: RunHeader, waits: readonly RunWait[]): RunHeader {
  const sums = new Map<string, RunWait>();
  for (const wait of [...(run.waits ?? []), ...waits]) {
    const sum = sums.get(wait.origin);
    sums.set(wait.origin, sum ? addedWaits(sum, wait) : wait);
  }
  return sums.size === 0 ? run : { ...run, waits: [...sums.values()] };
}

/** A run with further failures of its `after` hooks. */
export function withHookProblems(run: RunHeader, problems: readonly HookProblem[]): RunHeader {
  if (problems.length === 0) return run;
  return { ...run, hookProblems: mergedHookProblems([...(run.hookProblems ?? []), ...problems]) };
}

function addedWaits(one: RunWait, other: RunWait): RunWait {
  const lowest = [one.lowest, other.lowest].flatMap((limit) => limit ?? []);
  return {
    origin: one.origin,
    refusals: one.refusals + other.refusals,
    waits: one.waits + other.waits,
    waitedMs: one.waitedMs + other.waitedMs,
    lowest: lowest.length === 0 ? null : Math.min(...lowest),
  };
}

/** How many trials of a run ended how; they always add up to what was planned. */
export interface Totals extends Pick<RunCounts, 'pass' | 'fail' | 'error' | 'skipped'> {
  readonly planned: number;
  /** Planned trials without a record; a run that has any is never green. */
  readonly notRun: number;
}

/** Everything about a run that can be counted in the store. */
export interface RunCounts {
  readonly pass: number;
  readonly fail: number;
  readonly error: number;
  /** Stored without a verdict, such as imported trials that had none. */
  readonly skipped: number;
  /** Trials whose files are wrong, such as an unusable criterion: nothing can be said of the tool. */
  readonly fileFaults: number;
  /** Of those that could not be judged, trials whose judge answers in a batch; absent where there are none. */
  readonly waiting?: number | undefined;
  /** Trials that passed although an assertion was left out of the verdict. */
  readonly notJudged: number;
  readonly cost: CostSum;
  readonly tokens: TokenSum;
  /** Judged trials by what Assay stood in for. */
  readonly marks: MarkCounts;
  /** Judged trials whose agent was ended by its time limit; absent where there are none. */
  readonly timedOut?: number | undefined;
}

/** Counts of a run without trials. */
export const noTrials: RunCounts = {
  pass: 0,
  fail: 0,
  error: 0,
  skipped: 0,
  fileFaults: 0,
  notJudged: 0,
  cost: noCost,
  tokens: noTokens,
  marks: {},
};

/** How the trials of one case under one variant ended. The store keeps those with other marks apart. */
export interface CaseCounts {
  readonly file: string;
  readonly scenario: string;
  readonly caseId: string;
  readonly variant: Variant;
  /** Declared; absent where it is not, or was not read. */
  readonly cluster?: string | undefined;
  /** Of all trials that are counted here; absent where there are none, or trials of several marks were added up. */
  readonly marks?: readonly Mark[] | undefined;
  readonly pass: number;
  readonly fail: number;
  /** Could not be judged, or were skipped. */
  readonly unjudged: number;
  /** Stands for scenario and case id among the counts of a table: a text for each takes time and memory. */
  readonly caseNumber?: number | undefined;
  /** The same for file, scenario and case id. */
  readonly caseKey?: number | undefined;
}

/** How a run ended as a whole. */
export interface RunSummary {
  readonly run: RunHeader;
  readonly totals: Totals;
  readonly outcome: 'pass' | 'fail' | 'error';
  readonly reason: string;
  readonly fileFaults: number;
  /** Trials whose judge answers in a batch; absent where there are none. */
  readonly waiting?: number | undefined;
  /** Trials that passed although an assertion was left out of the verdict. */
  readonly notJudged: number;
  /** Null where nothing was run: the trials were made elsewhere. */
  readonly durationMs: number | null;
  /** Null where the cost of one of its trials is unknown. */
  readonly costUsd: number | null;
  readonly cost: CostSum;
  /** Null where the tokens of one of its trials are unknown, or none were used. */
  readonly usage: Usage | null;
  readonly tokens: TokenSum;
  /** Judged trials by what Assay stood in for. */
  readonly marks: MarkCounts;
  /** Judged trials whose agent was ended by its time limit; absent where there are none. */
  readonly timedOut?: number | undefined;
}

/** Counts and plan as totals. */
export function totalsOf(planned: number, { pass, fail, error, skipped }: Omit<Totals, 'planned' | 'notRun'>): Totals {
  const notRun = Math.max(planned - pass - fail - error - skipped, 0);
  return { planned, pass, fail, error, skipped, notRun };
}

/** The run's outcome from its totals; a run in which something was not judged is never a pass. */
export function summarizeRun(run: RunHeader, counts: RunCounts, now: number): RunSummary {
  const totals = totalsOf(run.planned, counts);
  const { outcome, reason } = runOutcome(run, totals, counts);
  return {
    run,
    totals,
    outcome,
    reason: `${reason}${markCountsText(counts.marks)}`,
    fileFaults: counts.fileFaults,
    ...(counts.waiting !== undefined && { waiting: counts.waiting }),
    notJudged: counts.notJudged,
    durationMs: wasRunElsewhere(run) ? null : elapsedMs(run, now),
    costUsd: wholeCost(counts.cost),
    cost: counts.cost,
    usage: wholeUsage(counts.tokens),
    tokens: counts.tokens,
    marks: counts.marks,
    ...(counts.timedOut !== undefined && { timedOut: counts.timedOut }),
  };
}

function wasRunElsewhere({ request: { origin } }: RunHeader): boolean {
  return origin?.kind === 'import' || origin?.kind === 'rule';
}

/** Without the time in which it was paused. */
function elapsedMs({ startedAt, finishedAt, pausedMs = 0 }: RunHeader, now: number): number {
  return Math.max(0, (finishedAt ?? now) - startedAt - pausedMs);
}

function runOutcome(run: RunHeader, totals: Totals, counts: RunCounts): Pick<RunSummary, 'outcome' | 'reason'> {
  const { notJudged, waiting = 0 } = counts;
  const { skipped, notRun } = totals;
  const isOne = totals.planned === 1;
  const some = (count: number): string =>
    isOne ? 'The trial' : `${grouped(count)} of ${grouped(totals.planned)} trials`;
  const beside = notRun === 0 ? '' : `; ${notRunText(run, grouped(notRun))}`;
  if (totals.fail > 0) return { outcome: 'fail', reason: `${some(totals.fail)} failed${beside}` };
  if (waiting > 0 && waiting === totals.error)
    return { outcome: 'error', reason: `${some(waiting)} ${isOne ? 'waits' : 'wait'} for the judge${beside}` };
  if (totals.error > 0) return { outcome: 'error', reason: `${some(totals.error)} could not be judged${beside}` };
  if (skipped > 0) return { outcome: 'error', reason: `${some(skipped)} ended without a verdict${beside}` };
  if (notRun > 0 || run.status === 'interrupted') return { outcome: 'error', reason: notRunText(run, some(notRun)) };
  const passed = isOne ? 'The trial passed' : `All ${grouped(totals.planned)} trials passed`;
  return { outcome: 'pass', reason: `${passed}${notJudgedText(notJudged)}` };
}

/** How many trials of a scenario a run planned; undefined where the number of its variants is not known. */
export function plannedTrials(
  { planned, scenarios }: Pick<RunHeader, 'planned' | 'scenarios'>,
  { scenario, file }: { readonly scenario: string; readonly file: string },
): number | undefined {
  if (scenarios.length === 1) return planned;
  const ofOneVariant = scenarios.map(({ caseCount, repeat }) => caseCount * repeat);
  const isOneVariant = ofOneVariant.reduce((sum, trials) => sum + trials, 0) === planned;
  const index = scenarios.findIndex((one) => one.name === scenario && one.file === file);
  return isOneVariant ? ofOneVariant[index] : undefined;
}

/** Planned trials without a record: `interrupted: 5 of 9 trials did not run`. */
export function notRunText(
  { status, stops = [], request: { origin } }: Pick<RunHeader, 'status' | 'request' | 'stops'>,
  some: string,
): string {
  if (isLiveStatus(status)) return `${some} have no result yet`;
  const isElsewhere = origin?.kind === 'import' || origin?.kind === 'rescore' || origin?.kind === 'evaluate';
  const why = stops.length === 0 ? '' : `: ${stops.join('; ')}`;
  const text = `${some} ${isElsewhere ? 'have no record' : 'did not run'}${why}`;
  return status === 'interrupted' ? `interrupted: ${text}` : text;
}

/** `3 judged after a time-out of the agent`: how their outcomes came about. */
export function timedOutText(timedOut: number): string {
  return `${timedOut} judged after a time-out of the agent`;
}

/** Suffix of a number of passes: ` (3 not fully judged)`, or nothing. */
export function notJudgedText(notJudged: number): string {
  return notJudged === 0 ? '' : ` (${notJudged} not fully judged)`;
}

/**
 * Events of a run, in order, as plain data. `trial-finished` is sent only after the record is durable.
 * Terminal, files and pages all listen to these values and cannot change a record.
 */
export type RunEvent =
  | {
      readonly type: 'run-started';
      readonly run: RunHeader;
      readonly alreadyStored: number;
      readonly concurrency: number;
    }
  | {
      readonly type: 'trial-started';
      readonly trialId: string;
      readonly scenario: string;
      readonly caseId: string;
      readonly variant: Variant;
      readonly repeat: number;
    }
  /** Last action of a trial, redacted; sampled, so quick trials have none, and not every action has one. */
  | { readonly type: 'trial-action'; readonly trialId: string; readonly action: string }
  | { readonly type: 'trial-finished'; readonly record: TrialRecord }
  /** Of an experiment: how the question stands decides whether a further round runs. */
  | {
      readonly type: 'round-started';
      readonly round: number;
      readonly rounds: number;
      readonly reference: string;
      /** Trials of all rounds so far and of this one. */
      readonly planned: number;
      /** Of the round before. */
      readonly look: ExperimentLook | undefined;
    }
  /** Trials that ended in an error were set aside, and run again. */
  | { readonly type: 'trials-requeued'; readonly count: number }
  /** The run was changed from outside. */
  | { readonly type: 'run-changed'; readonly isPaused: boolean; readonly message: string }
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'run-finished'; readonly summary: RunSummary };

/** Receives run events; must not throw. */
export type Emit = (event: RunEvent) => void;
