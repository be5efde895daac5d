import type { RunWait } from '../../domain/run.ts';
import type { RunOptions } from '../../domain/run-options/index.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { ToolTapesRequest } from '../../domain/tool-control/replay.ts';
import type { Gateway } from '../../drive/gateway/open-gateway.ts';
import type { McpSessions } from '../../drive/mcp/session.ts';
import type { Account, AccountSource } from '../../drive/models/account.ts';
import type { Spending } from '../../drive/models/spending.ts';
import type { Paces } from '../../drive/pacing/pace.ts';
import type { AgentWork } from '../../drive/targets/agent-task/agent-work.ts';
import { Threads } from '../../drive/targets/call/threads.ts';
import { TargetPool } from '../../engine/target-pool.ts';
import type { TrialParts } from '../../engine/try-trial.ts';
import { once } from '../../shared/async.ts';
import { artifactsFolder, type Project } from '../config/project.ts';
import { ProjectAgents } from '../config/project-agents.ts';
import type { HooksConfig } from '../hooks/hooks-config.ts';
import { type JudgeOptions, ProjectJudging, recordingsOf } from '../judge/judging.ts';
import { version } from '../program.ts';
import { trialReuseIn } from '../reuse/trial-reuse.ts';
import type { agentWorkOf } from './agent-work.ts';
import { projectRecordSink, RunRedaction } from './redaction.ts';
import { RunTapes } from './run-tapes.ts';

/** The MCP servers of a run; what talks to them is loaded when the first is needed. */
export class ProjectMcpSessions implements AsyncDisposable {
  #sessions: Promise<McpSessions> | undefined;

  open(): Promise<McpSessions> {
    this.#sessions ??= import('../../drive/mcp/sessions.ts').then(({ RunSessions }) => new RunSessions(version));
    return this.#sessions;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#sessions)?.[Symbol.asyncDispose]();
  }
}

/** The gateway of a run; loaded when the first agent needs it. */
class ProjectGateway implements AsyncDisposable {
  readonly #env: Readonly<Record<string, string | undefined>>;
  #gateway: Promise<Gateway> | undefined;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
  }

  readonly open = (): Promise<Gateway> => {
    this.#gateway ??= this.#start();
    return this.#gateway;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#gateway)?.[Symbol.asyncDispose]();
  }

  async #start(): Promise<Gateway> {
    const { openGateway } = await import('../../drive/gateway/open-gateway.ts');
    const { ProviderUpstream } = await import('../../drive/gateway/upstream.ts');
    return openGateway({ upstream: new ProviderUpstream(this.#env) });
  }
}

/** How many requests each server takes at a time during a run; loaded with the first request. */
class RunPaces {
  #paces: Promise<Paces> | undefined;

  readonly open = (): Promise<Paces> => {
    this.#paces ??= this.#load();
    return this.#paces;
  };

  async takeFigures(): Promise<readonly RunWait[]> {
    return (await this.#paces)?.takeFigures() ?? [];
  }

  async #load(): Promise<Paces> {
    const { Paces } = await import('../../drive/pacing/pace.ts');
    const { systemClock } = await import('../../drive/pacing/clock.ts');
    return new Paces(systemClock);
  }
}

interface TrialPartsOptions {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly options: JudgeOptions & Pick<RunOptions, 'reuse' | 'updateGolden'>;
  /** MCP servers that are open already and go on afterwards; opened and ended here otherwise. */
  readonly mcpSessions?: (() => Promise<McpSessions>) | undefined;
  /** One that has a thread ready, where that could be started earlier. */
  readonly threads?: Threads | undefined;
}

/** The parts that the trials of a project are made of, opened together and closed together. */
export interface OpenTrialParts extends AsyncDisposable {
  readonly targets: TargetPool;
  readonly redaction: RunRedaction;
  /** Reads the recordings of tool calls; to be called before anything is run, and with the redaction knowing the scenarios. */
  openTapes(request: ToolTapesRequest | undefined, scenarios: readonly Scenario[]): Promise<void>;
  /** Refuses scenarios that would pay models without a price, where there is a spending limit. */
  assertPriced(scenarios: readonly Scenario[]): Promise<void>;
  /** To be called when the redaction has learned the scenarios. */
  complete(): TrialParts;
}

/** Opens what trials of a project need, wherever they are run. */
export async function openTrialParts(given: TrialPartsOptions): Promise<OpenTrialParts> {
  const { project, env, options, threads = new Threads() } = given;
  const spending = options.maxUsd === undefined ? undefined : await sharedSpending(options.maxUsd);
  // A golden file is written from what a tool answers now.
  const reuse = options.updateGolden ? false : options.reuse;
  const redaction = new RunRedaction(project, env);
  const agents = new ProjectAgents(project, env);
  const account: AccountSource = {
    isLimited: spending !== undefined,
    open: once(() => openAccount(project, spending)),
  };
  const paces = new RunPaces();
  const tapes = new RunTapes(project, redaction.redact);
  const shared = { spending, redact: redaction.redact, paces: paces.open, reusesVerdicts: reuse };
  const judging = new ProjectJudging(project, options, env, shared);
  const gateway = new ProjectGateway(env);
  const recordings = recordingsOf(options, project.folder);
  const agentWork = once(() =>
    loadAgentWork(project, agents, env, spending, redaction, judging, gateway.open, recordings),
  );
  const mcp = new ProjectMcpSessions();
  const targets = new TargetPool(byType(project.parts.targets), {
    env,
    artifactsFolder: artifactsFolder(project),
    threads,
    agentWork,
    account,
    mcpSessions: given.mcpSessions ?? (() => mcp.open()),
    models: () => judging.models(),
    paces: paces.open,
    personaModel: judging.personaModel(),
    redact: redaction.redact,
    toolTapes: tapes.current,
  });
  return {
    targets,
    redaction,
    openTapes: (request, scenarios) => tapes.open(request, scenarios),
    async assertPriced(scenarios) {
      // A replay makes no call.
      if (options.maxUsd === undefined || (options.replay !== undefined && options.record === undefined)) return;
      const { refuseUnpriced } = await import('./cost-limits.ts');
      await refuseUnpriced(scenarios, project, judging);
    },
    complete: () => ({
      targets,
      judging,
      ...(spending && { setBudget: (maxUsd: number) => spending.setLimit(maxUsd) }),
      takeWaits: () => paces.takeFigures(),
      ...(project.config.hooks && { openHooks: hooksOf(project.config.hooks, project, env, redaction) }),
      services: { env, updatesGolden: options.updateGolden === true, redact: redaction.redact },
      evaluators: byType(project.parts.evaluators),
      recordSink: projectRecordSink(project, redaction.redact),
      reuse: trialReuseIn({ project, agents, env, options: { ...options, reuse: tapes.current() ? false : reuse } }),
    }),
    async [Symbol.asyncDispose]() {
      for (const part of [targets, gateway, mcp, judging, threads]) await part[Symbol.asyncDispose]();
    },
  };
}

function byType<Part extends { readonly type: string }>(parts: readonly Part[]): ReadonlyMap<string, Part> {
  return new Map(parts.map((part) => [part.type, part]));
}

function hooksOf(
  hooks: HooksConfig,
  project: Project,
  env: TrialPartsOptions['env'],
  { redact }: RunRedaction,
): NonNullable<TrialParts['openHooks']> {
  return async (run, { signal, isWorker }) => {
    const { openHooks } = await import('../hooks/open-hooks.ts');
    return openHooks(run, { project, hooks, env, redact, signal, isWorker });
  };
}

async function sharedSpending(maxUsd: number | undefined): Promise<Spending> {
  const { Spending } = await import('../../drive/models/spending.ts');
  return new Spending(maxUsd);
}

async function openAccount({ config }: Project, spending: Spending | undefined): Promise<Account> {
  const { RunAccount } = await import('../../drive/models/spending.ts');
  return new RunAccount(spending ?? (await sharedSpending(undefined)), config.models);
}

async function loadAgentWork(...parts: Parameters<typeof agentWorkOf>): Promise<AgentWork> {
  return (await import('./agent-work.ts')).agentWorkOf(...parts);
}
