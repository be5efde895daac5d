import type { Problem } from '../domain/problem.ts';
import type { RunRequest, RunSummary } from '../domain/run.ts';
import type { RunEvent } from '../domain/run-event.ts';
import type { Scenario } from '../domain/scenario.ts';
import { run } from '../engine/run.ts';
import { TargetPool } from '../engine/target-pool.ts';
import type { McpSessions } from '../mcp/session.ts';
import type { Spending } from '../models/spending.ts';
import type { ParsedSource } from '../scenarios/parsed-source.ts';
import { once } from '../shared/once.ts';
import type { Store } from '../store/store.ts';
import type { AgentWork } from '../targets/agent-work.ts';
import { Threads } from '../targets/threads.ts';
import type { Project } from './config.ts';
import { fanOut } from './fan-out.ts';
import type { JudgeFlags } from './judge-settings.ts';
import { ProjectJudging } from './judging.ts';
import { beginRun, type PreparedRun, resumeRun, selectScenarios } from './prepare-run.ts';
import type { agentWorkOf } from './project-agent-work.ts';
import { ProjectAgents } from './project-agents.ts';
import { projectKeeping } from './project-keeping.ts';
import { ProjectMcpSessions } from './project-mcp-sessions.ts';
import { RunRedaction } from './run-redaction.ts';
import { trialReuseIn } from './trial-reuse.ts';

export interface RunProjectOptions {
  readonly project: Project;
  /** Opens the store, which is done while the first target starts. */
  openStore(): Promise<Store>;
  /** What to run; paths are relative to the project's folder. */
  readonly request: PartialRequest;
  /** Scenarios that were read already, beside the files of the request. */
  readonly sources?: readonly ParsedSource[] | undefined;
  /** Id of an interrupted run to finish instead of beginning a new one. */
  readonly resume?: string | undefined;
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly judge?: JudgeFlags | undefined;
  /** MCP servers that are open already and go on after the run; the run opens and ends its own otherwise. */
  readonly mcpSessions?: (() => Promise<McpSessions>) | undefined;
  /** One that has a thread ready, where that could be started earlier. */
  readonly threads?: Threads | undefined;
  readonly listeners?: readonly ((event: RunEvent) => void)[];
}

/** A finished run with its open store; disposing of it closes the store. */
export interface ProjectRun extends AsyncDisposable {
  readonly summary: RunSummary;
  readonly store: Store;
  /** Data files beside the scenarios that are none. */
  readonly otherFiles: readonly string[];
  /** What can be run but is hardly meant as it is written. */
  readonly warnings: readonly Problem[];
}

/** Runs the scenarios of a project on the registered parts; the verdicts are in the store when it resolves. */
export async function runProject(options: RunProjectOptions): Promise<ProjectRun> {
  await using threads = options.threads ?? new Threads();
  const { project, env, judge = {} } = options;
  const spending = judge.maxUsd === undefined ? undefined : await sharedSpending(judge.maxUsd);
  const redaction = new RunRedaction(env);
  const agents = new ProjectAgents(project, env);
  const agentWork = once(() => loadAgentWork(project, agents, env, spending, redaction.secrets));
  await using judging = new ProjectJudging(project, judge, env, spending, redaction.redact);
  await using mcp = new ProjectMcpSessions();
  await using targets = new TargetPool(byType(project.parts.targets), {
    env,
    threads,
    agentWork,
    mcpSessions: options.mcpSessions ?? (() => mcp.open()),
    models: () => judging.models(),
    personaModel: judging.modelNames({ models: [], samples: undefined })[0],
    redact: redaction.redact,
  });
  const { header, scenarios, otherFiles, warnings, store } = await prepare(options, targets, redaction);
  const emit = fanOut(options.listeners ?? [], (error) => {
    process.emitWarning(`A listener of run events failed and hears no more: ${String(error)}`);
  });
  const control = {
    concurrency: options.concurrency ?? concurrencyFor(scenarios, targets, project),
    signal: options.signal ?? new AbortController().signal,
    emit,
  };
  const close = () => store[Symbol.asyncDispose]();
  try {
    const summary = await run(
      header,
      scenarios,
      {
        store,
        targets,
        judging,
        evaluators: byType(project.parts.evaluators),
        keeping: projectKeeping(project, env, redaction.secrets),
        reuse: judge.cache === false ? undefined : trialReuseIn(project, agents, judge, env),
      },
      control,
    );
    return { summary, store, otherFiles, warnings, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

function byType<Part extends { readonly type: string }>(parts: readonly Part[]): ReadonlyMap<string, Part> {
  return new Map(parts.map((part) => [part.type, part]));
}

/** Agents take far more of a machine than tools do. */
const agentsAtATime = 4;

function concurrencyFor(scenarios: readonly Scenario[], targets: TargetPool, { config }: Project): number {
  const hasAgents = scenarios.some((scenario) => targets.isAgentDriven(scenario));
  return hasAgents ? Math.min(agentsAtATime, config.concurrency) : config.concurrency;
}

async function sharedSpending(maxUsd: number): Promise<Spending> {
  const { Spending } = await import('../models/spending.ts');
  return new Spending(maxUsd);
}

async function loadAgentWork(...parts: Parameters<typeof agentWorkOf>): Promise<AgentWork> {
  return (await import('./project-agent-work.ts')).agentWorkOf(...parts);
}

async function prepare(
  options: RunProjectOptions,
  targets: TargetPool,
  redaction: RunRedaction,
): Promise<PreparedRun & { readonly store: Store }> {
  const { project } = options;
  const context = { isJudgeForced: options.judge?.isWanted === true, env: options.env, sources: options.sources };
  if (options.resume) {
    const store = await options.openStore();
    const resumed = await resumeRun(options.resume, project, store, context);
    redaction.learn(resumed.scenarios);
    return { ...resumed, store };
  }
  const request = completeRequest(options.request, project);
  const selection = await selectScenarios(request, project, context);
  redaction.learn(selection.scenarios);
  if (selection.scenarios[0]) targets.warm(selection.scenarios[0]);
  const store = await options.openStore();
  return { ...(await beginRun(selection, request, store)), store };
}

type PartialRequest = { readonly [Key in keyof RunRequest]?: RunRequest[Key] | undefined };

/** What a request leaves open, filled in. */
export function completeRequest(request: PartialRequest, project: Project): RunRequest {
  return {
    paths: request.paths ?? [...project.config.scenarios],
    tags: request.tags ?? [],
    tier: request.tier ?? null,
    scenario: request.scenario ?? null,
    repeat: request.repeat ?? null,
    timeoutSecs: request.timeoutSecs ?? null,
    variants: request.variants ?? null,
    origin: request.origin ?? null,
    serverParts: request.serverParts ?? [],
  };
}
