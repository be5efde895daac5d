import { mkdirSync, statSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isConversation } from '../../domain/conversation.ts';
import { AssayError } from '../../domain/errors.ts';
import type { EvaluatedWorkspace } from '../../domain/gate.ts';
import type { Fault } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { RunEvent, RunHeader, RunSummary } from '../../domain/run.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { Trial } from '../../domain/trial.ts';
import type { Spending } from '../../drive/models/spending.ts';
import type { CliToolConfig } from '../../drive/targets/agent-task/task-config.ts';
import type { TargetKind } from '../../drive/targets/target.ts';
import { emptyEvaluation } from '../../engine/findings.ts';
import { type KeptWorkspace, type PastTrial, rescore } from '../../engine/rescore.ts';
import type { FinishedTrial, Store } from '../../keep/store/store.ts';
import type { Evaluator } from '../../score/evaluators/evaluator.ts';
import { contentKey } from '../../shared/ids.ts';
import { isRecord } from '../../shared/json.ts';
import type { Project } from '../config/project.ts';
import { type JudgeFlags, ProjectJudging } from '../judge/judging.ts';
import { projectRecordSink, RunRedaction } from '../run/redaction.ts';
import { fanOut } from '../run/run-listeners.ts';
import type { TodaysCase } from './find-cases.ts';

/** Options for evaluating stored or imported trials. */
export interface RescoreControl {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly judge?: JudgeFlags | undefined;
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
  store: Store,
  control: RescoreControl,
): Promise<RunSummary> {
  const { project, env, judge = {} } = control;
  const spending = judge.maxUsd === undefined ? undefined : await sharedSpending(judge.maxUsd);
  const redaction = new RunRedaction(env);
  redaction.learn(scenarios);
  await using judging = new ProjectJudging(project, judge, env, { spending, redact: redaction.redact });
  const { targets } = project.parts;
  const evaluators = new Map(project.parts.evaluators.map((evaluator) => [evaluator.type, evaluator]));
  const services = { env, updatesGolden: false, redact: redaction.redact };
  const emit = fanOut(control.listeners ?? []);
  await store.createRun(header);
  return rescore(
    header,
    trials({ targets, evaluators, env }),
    { store, evaluators, judging, services, recordSink: projectRecordSink(project, env, redaction.secrets) },
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

type Env = Readonly<Record<string, string | undefined>>;

interface WorkOfTrial {
  readonly trial: Trial;
  /** Absolute path of the trial's artifacts; undefined where there are none. */
  readonly folder: string | undefined;
  /** Absolute path of the folder while the trial ran, where it is known. */
  readonly workedIn: string | undefined;
  /** Whether its gates ran in a container, which is gone. */
  readonly wasContained: boolean;
  readonly evaluators: ReadonlyMap<string, Evaluator>;
  readonly env: Env;
}

/**
 * Opens the stored work directory of a trial. Gates and scripts run commands in it, so they
 * get a copy and the original stays as it is.
 */
async function openKeptWork(work: WorkOfTrial): Promise<KeptWorkspace> {
  const { trial, folder, workedIn, evaluators } = work;
  const isLookedAt = trial.case.evaluators.some(({ type, config }) => {
    const evaluator = evaluators.get(type);
    const judgeLooks = isRecord(config) && config.look !== undefined;
    return (
      judgeLooks || evaluator?.looksAtWork || (evaluator?.needs.includes('workspace') && !evaluator.readsTraceOnly)
    );
  });
  if (!isLookedAt) return nothingKept(undefined);
  if (folder === undefined) return nothingKept(gone('The trial has no stored work directory.'));
  if (!statSync(join(folder, 'fixture'), { throwIfNoEntry: false })?.isDirectory()) {
    return nothingKept(gone(`The work directory of the trial no longer exists: ${join(folder, 'fixture')}.`));
  }
  const { copyTree } = await import('../../drive/workspace/copy-tree.ts');
  const copy = await realpath(await mkdtemp(join(tmpdir(), 'assay-rescore-')));
  const remove = () => rm(copy, { recursive: true, force: true });
  try {
    await copyTree(folder, copy, { isFresh: true, skipsFolder: isForeign, formerRoot: workedIn });
    return { workspace: await workspaceIn(copy, work), workspaceFault: undefined, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    const why = error instanceof Error ? error.message : String(error);
    return nothingKept(new AssayError('WORKSPACE_FAILED', `The stored work directory could not be copied: ${why}`));
  }
}

/** Of the folders beside the work directory, only HOME is part of the work. */
function isForeign(path: string): boolean {
  return path.lastIndexOf('/') === 0 && path !== '/fixture' && path !== '/home';
}

function nothingKept(workspaceFault: AssayError | undefined): KeptWorkspace {
  return { workspace: undefined, workspaceFault, [Symbol.asyncDispose]: async () => undefined };
}

function gone(message: string): AssayError {
  return new AssayError('WORKSPACE_FAILED', message, {
    hint: 'Run the scenario again: gates cannot be evaluated without the files.',
  });
}

/** The environment is that of the trial, as far as today's scenario and machine have it. */
async function workspaceIn(copy: string, { trial, env, wasContained }: WorkOfTrial): Promise<EvaluatedWorkspace> {
  const { trialEnvironment, trialFolder, withProgram } = await import(
    '../../drive/targets/agent-task/trial-environment.ts'
  );
  const { findToolIfPresent } = await import('../../drive/targets/agent-task/prepare-tool.ts');
  const folder = trialFolder(copy);
  const workspace = { directory: join(copy, 'fixture'), home: join(copy, 'home'), tmp: join(copy, 'tmp') };
  for (const path of [workspace.home, workspace.tmp]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const { scenario } = trial;
  const config = scenario.target.type === 'cli-tool' ? (scenario.target.config as CliToolConfig) : undefined;
  const environment = trialEnvironment(trial, { env: config?.env ?? {} }, folder, workspace, env);
  const tool = config?.binary === undefined ? undefined : { binary: config.binary };
  const program = config && tool && findToolIfPresent(tool, config, { env: environment, workspace, context: scenario });
  return {
    directory: workspace.directory,
    env: withProgram(environment.after, program),
    transcriptFile: folder.transcriptFile,
    ...(wasContained && { runScript: containerIsGone }),
  };
}

async function containerIsGone(): Promise<never> {
  throw gone('The container of the trial is gone, and commands of its gates would give other results on this machine.');
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
}

/** A stored trial with the current scenario and case; `folder` holds its artifacts. */
export function pastTrial(
  { past: { record, trace }, runId }: Revisited,
  { scenario, case: testCase }: TodaysCase,
  { targets, evaluators, env }: TodaysParts,
  folder: string | undefined,
): PastTrial {
  const { variant, repeat, ordinal, startedAt, durationMs, artifacts, turns } = record;
  const trial = { trialId: trialIdIn(runId, record), runId, ordinal, scenario, case: testCase, variant, repeat };
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
    openWorkspace: () => openKeptWork({ trial, folder, workedIn, wasContained, env, evaluators }),
  };
}

/** A stored trial that can no longer be evaluated, with the reason. */
export function leftOut({ past: { record, trace }, runId }: Revisited, reason: string): FinishedTrial {
  const nothing = { ...emptyEvaluation(), workflowScore: null, compositeScore: null, fault: null };
  const trialId = trialIdIn(runId, record);
  return { record: { ...record, ...nothing, trialId, runId, outcome: 'skipped', reason }, trace };
}

/** The id follows from the trial that is evaluated again. */
function trialIdIn(runId: string, { trialId }: Pick<TrialRecord, 'trialId'>): string {
  return `t-${contentKey([runId, trialId])}`;
}

/** Fault of the execution; faults of evaluators are in their own results. */
function executionFault({ outcome, fault, evaluatorResults }: TrialRecord): Fault | undefined {
  const isEvaluators = evaluatorResults.some(({ state }) => state === 'error');
  return outcome === 'error' && fault && fault.code !== 'NOTHING_ASSERTED' && !isEvaluators ? fault : undefined;
}
