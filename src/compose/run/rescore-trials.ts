import { isConversation } from '../../domain/conversation.ts';
import type { Fault } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { RunEvent, RunHeader, RunSummary } from '../../domain/run.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { Spending } from '../../drive/models/spending.ts';
import type { TargetKind } from '../../drive/targets/target.ts';
import { emptyEvaluation } from '../../engine/findings.ts';
import { type PastTrial, rescore } from '../../engine/rescore.ts';
import type { FinishedTrial, Store } from '../../keep/store/store.ts';
import type { Evaluator } from '../../score/evaluators/evaluator.ts';
import { contentKey } from '../../shared/ids.ts';
import type { Project } from '../config/project.ts';
import { projectRecordSink, RunRedaction } from '../config/redaction.ts';
import { type JudgeOptions, ProjectJudging } from '../judge/judging.ts';
import { summarizing } from '../summaries/summarizing-store.ts';
import type { TodaysCase } from './find-cases.ts';
import { openKeptWork } from './kept-work.ts';
import { fanOut } from './run-listeners.ts';

/** Options for evaluating stored or imported trials. */
export interface RescoreControl {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly judge?: JudgeOptions | undefined;
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly listeners?: readonly ((event: RunEvent) => void)[] | undefined;
}

interface RescoredTrials {
  readonly header: RunHeader;
  /** Every scenario that the trials may be evaluated by. */
  readonly scenarios: readonly Scenario[];
  trials(parts: TodaysParts): AsyncIterable<PastTrial | FinishedTrial>;
}

/** Gates run commands, which need more of a machine than reading a trace does. */
const agentTrialsAtATime = 4;

/** Evaluates trials with the evaluators and the judge of a project; the run is in the store when it resolves. */
export async function rescoreTrials(
  { header, scenarios, trials }: RescoredTrials,
  given: Store,
  control: RescoreControl,
): Promise<RunSummary> {
  const store = summarizing(given);
  const { project, env, judge = {} } = control;
  const spending = judge.maxUsd === undefined ? undefined : await sharedSpending(judge.maxUsd);
  const redaction = new RunRedaction(project, env);
  redaction.learn(scenarios);
  await using judging = new ProjectJudging(project, judge, env, {
    ...(spending && { spending: async () => spending }),
    redact: redaction.redact,
  });
  const { targets } = project.parts;
  const evaluators = new Map(project.parts.evaluators.map((evaluator) => [evaluator.type, evaluator]));
  const services = { env, updatesGolden: false, redact: redaction.redact };
  const emit = fanOut(control.listeners ?? []);
  await store.createRun(header);
  return rescore(
    header,
    trials({ targets, evaluators, env, project }),
    { store, evaluators, judging, services, recordSink: projectRecordSink(project, redaction.redact) },
    {
      concurrency: control.concurrency ?? usualConcurrency(header, project),
      signal: control.signal ?? new AbortController().signal,
      emit,
    },
  );
}

function usualConcurrency({ scenarios }: RunHeader, { config }: Project): number {
  const hasAgents = scenarios.some(({ isAgentDriven }) => isAgentDriven);
  return hasAgents ? Math.min(agentTrialsAtATime, config.concurrency) : config.concurrency;
}

async function sharedSpending(maxUsd: number): Promise<Spending> {
  const { Spending } = await import('../../drive/models/spending.ts');
  return new Spending(maxUsd);
}

/** A trial as it was, and the run that it is evaluated in again. */
interface Revisited {
  readonly past: FinishedTrial;
  readonly runId: string;
}

/** Parts of the project that trials are evaluated with. */
export interface TodaysParts {
  readonly targets: readonly TargetKind[];
  readonly evaluators: ReadonlyMap<string, Evaluator>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined where no work directory can be looked at. */
  readonly project?: Project | undefined;
}

/** A stored trial with the current scenario and case; `folder` holds its artifacts. */
export function pastTrial(
  { past: { record, trace }, runId }: Revisited,
  { scenario, case: testCase }: TodaysCase,
  { targets, evaluators, env, project }: TodaysParts,
  folder: string | undefined,
): PastTrial {
  const { variant, repeat, ordinal, startedAt, durationMs, artifacts, turns } = record;
  const trial = { trialId: rescoredTrialId(runId, record), runId, ordinal, scenario, case: testCase, variant, repeat };
  const workedIn = trace.find((event) => event.type === 'workspace')?.workedIn;
  const wasContained = trace.some((event) => event.type === 'agent-started' && event.isolation === 'container');
  return {
    trial,
    trace,
    fault: executionFault(record),
    startedAt,
    durationMs,
    cachedFrom: record.cachedFrom ?? undefined,
    artifacts,
    turns,
    sourceSpan: record.sourceSpan,
    isConversation: targets.some((kind) => kind.type === scenario.target.type && isConversation(kind)),
    openWorkspace: () => openKeptWork({ trial, folder, workedIn, wasContained, env, evaluators, project }),
  };
}

/** A stored trial that can no longer be evaluated, with the reason. */
export function leftOut({ past: { record, trace }, runId }: Revisited, reason: string): FinishedTrial {
  const nothing = { ...emptyEvaluation(), workflowScore: null, compositeScore: null, fault: null };
  const trialId = rescoredTrialId(runId, record);
  return { record: { ...record, ...nothing, trialId, runId, outcome: 'skipped', reason }, trace };
}

/** The id follows from the trial that is evaluated again. */
export function rescoredTrialId(runId: string, { trialId }: Pick<TrialRecord, 'trialId'>): string {
  return `t-${contentKey([runId, trialId])}`;
}

/** Fault of the execution; faults of evaluators are in their own results. */
function executionFault({ outcome, fault, evaluatorResults }: TrialRecord): Fault | undefined {
  const isEvaluators = evaluatorResults.some(({ state }) => state === 'error');
  return outcome === 'error' && fault && fault.code !== 'NOTHING_ASSERTED' && !isEvaluators ? fault : undefined;
}
