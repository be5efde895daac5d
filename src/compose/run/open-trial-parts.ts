import type { ExperimentPlan } from '../../domain/experiment.ts';
import type { RunOptions } from '../../domain/option-values.ts';
import type { RunWait } from '../../domain/run.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { ToolTapesRequest } from '../../domain/tool-control/replay.ts';
import type { Gateway } from '../../drive/gateway/open-gateway.ts';
import type { McpSessions } from '../../drive/mcp/session.ts';
import type { Account, AccountSource } from '../../drive/models/account.ts';
import type { Spending } from '../../drive/models/spending.ts';
import type { Paces } from '../../drive/pacing/pace.ts';
import type { AgentWork } from '../../drive/targets/agent-task/agent-work.ts';
import { Threads } from '../../drive/targets/call/threads.ts';
import type { RunPlace } from '../../engine/feature.ts';
import type { FeaturePlace, RunFeature } from '../../engine/run-feature.ts';
import { TargetPool } from '../../engine/target-pool.ts';
import type { TrialParts } from '../../engine/try-trial.ts';
import { features } from '../../features/index.ts';
import { once } from '../../shared/async.ts';
import { artifactsFolder, type Project } from '../config/project.ts';
import { ProjectAgents } from '../config/project-agents.ts';
import { projectRecordSink, RunRedaction } from '../config/redaction.ts';
import { type JudgeOptions, ProjectJudging, recordingsOf } from '../judge/judging.ts';
import { sparedJudging } from '../judge/spared-judging.ts';
import { thisProgram, version } from '../program.ts';
import type { agentWorkOf } from './agent-work.ts';
import { reusePartsOf } from './reuse-parts.ts';
import { RunTapes } from './run-tapes.ts';
import { LedgerFile } from './spending-ledger.ts';

/** A part of a run that is loaded and opened when it is first needed, and closed only if it was. */
class OnFirstUse<Part extends AsyncDisposable> implements AsyncDisposable {
  readonly #make: () => Promise<Part>;
  #part: Promise<Part> | undefined;

  constructor(make: () => Promise<Part>) {
    this.#make = make;
  }

  readonly open = (): Promise<Part> => {
    this.#part ??= this.#make();
    return this.#part;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#part)?.[Symbol.asyncDispose]();
  }
}

/** The MCP servers of a run. */
export function mcpSessions(): OnFirstUse<McpSessions> {
  return new OnFirstUse(async () => new (await import('../../drive/mcp/sessions.ts')).RunSessions(version));
}

/** The gateway of a run, for agents. */
async function startGateway(env: Readonly<Record<string, string | undefined>>): Promise<Gateway> {
  const { openGateway } = await import('../../drive/gateway/open-gateway.ts');
  const { ProviderUpstream } = await import('../../drive/gateway/upstream.ts');
  return openGateway({ upstream: new ProviderUpstream(env) });
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
  readonly options: Omit<RunOptions, 'experiment'> & JudgeOptions;
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
  /** To be called when the redaction has learned the scenarios, with the experiment that the run is. */
  complete(experiment?: ExperimentPlan): TrialParts;
}

/** Opens what trials of a project need, wherever they are run. */
export async function openTrialParts(given: TrialPartsOptions): Promise<OpenTrialParts> {
  const { project, env, options, threads = new Threads() } = given;
  const ledger = new LedgerFile();
  const spending = once(() => sharedSpending(options.maxUsd, ledger));
  const limited = options.maxUsd === undefined ? undefined : await spending();
  const redaction = new RunRedaction(project, env);
  const agents = new ProjectAgents(project, env);
  const openOnce = once(async () => openAccount(project, await spending()));
  const account: AccountSource = { isLimited: limited !== undefined, open: openOnce };
  const paces = new RunPaces();
  const tapes = new RunTapes(project, redaction.redact);
  const reuseParts = reusePartsOf(project, agents, env, options);
  const ofRun = { options, project, env, redact: redaction.redact, program: thisProgram(), parts: reuseParts };
  const reusesVerdicts = options.reuse && !options.updateGolden;
  const shared = { spending, redact: redaction.redact, paces: paces.open, reusesVerdicts };
  const judging = new ProjectJudging(project, options, env, shared);
  const sparesJudge = !(options.judgeAlways ?? project.config.judge.always);
  const gateway = new OnFirstUse(() => startGateway(env));
  const recordings = recordingsOf(options, project.folder);
  const agentWork = once(() =>
    loadAgentWork(project, agents, env, limited, redaction, judging, gateway.open, recordings),
  );
  const mcp = mcpSessions();
  const targets = new TargetPool(byType(project.parts.targets), {
    env,
    artifactsFolder: artifactsFolder(project),
    threads,
    agentWork,
    account,
    mcpSessions: given.mcpSessions ?? mcp.open,
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
    assertPriced: (scenarios) => assertPriced(scenarios, given, judging),
    complete: (experiment) => ({
      targets,
      judging: sparesJudge ? sparedJudging(judging, experiment) : judging,
      ...(limited && { setBudget: (maxUsd: number) => limited.setLimit(maxUsd) }),
      openFeatures: async (place) => [
        ...(await openFeatures({ ...place, ...ofRun })),
        { save: () => saveWaits(paces, place) },
        await spendingOf(ledger, limited, project, place),
      ],
      services: { env, updatesGolden: options.updateGolden === true, redact: redaction.redact },
      evaluators: byType(project.parts.evaluators),
      recordSink: projectRecordSink(project, redaction.redact),
    }),
    async [Symbol.asyncDispose]() {
      for (const part of [targets, gateway, mcp, judging, threads]) await part[Symbol.asyncDispose]();
    },
  };
}

/** With a limit of costs, every call needs a price. A replay makes no call. */
async function assertPriced(
  scenarios: readonly Scenario[],
  { project, options }: TrialPartsOptions,
  judging: ProjectJudging,
): Promise<void> {
  if (options.maxUsd === undefined || (options.replay !== undefined && options.record === undefined)) return;
  const { refuseUnpriced } = await import('./cost-limits.ts');
  await refuseUnpriced(scenarios, project, judging);
}

function byType<Part extends { readonly type: string }>(parts: readonly Part[]): ReadonlyMap<string, Part> {
  return new Map(parts.map((part) => [part.type, part]));
}

async function openFeatures(place: RunPlace): Promise<RunFeature[]> {
  const opened: RunFeature[] = [];
  for (const feature of features) {
    const own = await feature.open?.(place);
    if (own) opened.push(own);
  }
  return opened;
}

async function saveWaits(paces: RunPaces, { header, store }: FeaturePlace): Promise<void> {
  const waits = await paces.takeFigures();
  if (waits.length > 0) await store.addWaits(header.runId, waits);
}

/** Goes on with the ledger of the run. Workers keep none: their requests are counted with their trials. */
async function spendingOf(
  ledger: LedgerFile,
  limited: Spending | undefined,
  { folder }: Project,
  { header: { runId }, store, role }: FeaturePlace,
): Promise<RunFeature> {
  if (role !== 'alone') return {};
  const earlier = await ledger.open(folder, runId);
  limited?.add(earlier.costUsd);
  limited?.addDoubtful(earlier.mostUnknownUsd);
  return {
    async save() {
      if (earlier.requests > 0) await store.setSpending(runId, await ledger.read());
    },
    async [Symbol.asyncDispose]() {
      ledger[Symbol.dispose]();
    },
  };
}

async function sharedSpending(maxUsd: number | undefined, ledger: LedgerFile): Promise<Spending> {
  const { Spending } = await import('../../drive/models/spending.ts');
  return new Spending(maxUsd, ledger);
}

async function openAccount({ config }: Project, spending: Spending): Promise<Account> {
  const { RunAccount } = await import('../../drive/models/spending.ts');
  return new RunAccount(spending, config.models);
}

async function loadAgentWork(...parts: Parameters<typeof agentWorkOf>): Promise<AgentWork> {
  return (await import('./agent-work.ts')).agentWorkOf(...parts);
}
