import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { controlSeed } from '../../../domain/control-of-trial.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import { type AgentKind, type AgentReport, type AgentSession, reportsOf } from '../../agents/agent.ts';
import { agentEnvironment } from '../../agents/agent-environment.ts';
import { ofAgents } from '../../agents/agent-trace.ts';
import { PolicyApprover } from '../../approvals/approver.ts';
import type { McpRecording } from '../../mcp/proxy/open-recording.ts';
import type { Network } from '../../network/network-policy.ts';
import { RequestWatch } from '../../network/request-watch.ts';
import type { TrialNetwork } from '../../network/trial-network.ts';
import { Endings } from '../../recorder/endings.ts';
import { Simulation } from '../../simulation/simulation.ts';
import { controlPlan } from '../../tool-control/attack/arm-attack.ts';
import {
  type AgentTerminal,
  rawOutputFile,
  TerminalRedaction,
  terminalProblem,
  terminalSize,
} from '../../workspace/agent-terminal.ts';
import type { IsolatedFolders } from '../../workspace/isolated-folders.ts';
import type { Isolation } from '../../workspace/isolation.ts';
import { startAgentProcess } from '../../workspace/start-agent-process.ts';
import { Transcript } from '../../workspace/transcript.ts';
import type { AgentRun } from './agent-run.ts';
import type { DoneTask, Task } from './agent-steps.ts';
import { agentView } from './agent-view.ts';
import type { CostOf } from './agent-work.ts';
import { checkView } from './check-view.ts';
import { chooseVisibleFiles } from './choose-visible-files.ts';
import { HarnessProof } from './harness-proof.ts';
import { installedSkills } from './installed-skills.ts';
import { assertCanLimit, networkOf, openTrialNetwork } from './limited-network.ts';
import { type ModelGateway, openModelGateway } from './model-gateway.ts';
import { ModelWait } from './model-wait.ts';
import { concludeServers, recordServers } from './server-recording.ts';
import { SpendingGuard } from './spending-guard.ts';
import { recordTool, type ToolRecording } from './tool-recording.ts';
import { withPath } from './trial-environment.ts';

/** Names the file that lists the MCP servers for an agent of the user. */
const serversVariable = 'ASSAY_MCP_CONFIG';

/** Lets the agent do the task; returns the fault that keeps the trial from being judged. */
export async function driveAgent(run: AgentRun): Promise<AssayError | undefined> {
  const { config, work, agent, model } = run;
  const isolation = await work.findIsolation(config.isolation, config);
  await checkView(run, isolation);
  const costOf = agent.kind.isScripted ? () => undefined : await work.openPrices();
  const spending = new SpendingGuard({ maxUsd: config.maxUsd, budget: work.budget, costOf, model });
  const drive = new AgentDrive(run, isolation, spending);
  const gateway = await drive.openGateway(costOf);
  try {
    return await driveThrough(gateway, run, isolation, drive, spending);
  } finally {
    await gateway?.conclude();
  }
}

/** Starts the agent, waits for its end, and says how it ended. */
async function driveThrough(
  gateway: ModelGateway | undefined,
  run: AgentRun,
  isolation: Isolation,
  drive: AgentDrive,
  spending: SpendingGuard,
): Promise<AssayError | undefined> {
  const { trial, config, agent, model, trace } = run;
  const network = networkOf(run, isolation);
  assertCanLimit(run, network, isolation, gateway !== undefined);
  const problem = agent.settings.terminal ? await problemOfTerminal(run) : undefined;
  const hasTerminal = agent.settings.terminal === true && problem === undefined;
  trace.emit({
    type: 'agent-started',
    agent: trial.variant.agent ?? agent.kind.name,
    version: agent.version,
    model: model ?? null,
    isolation: isolation.tier,
    ...(agent.settings.terminal && { terminal: hasTerminal ? terminalSize : null }),
    isScripted: agent.kind.isScripted,
    reports: reportsOf(agent.kind, gateway !== undefined),
    ...(trial.variant.skills === undefined ? {} : { skills: await installedSkills(run) }),
  });
  if (problem !== undefined) trace.emit({ type: 'notice', message: withoutTerminal(problem) });
  if (!config.steps) trace.emit({ type: 'message', role: 'user', text: config.prompt });
  const report = await drive.report(gateway, network, hasTerminal);
  const { exit, completed, turns } = report;
  const reason = spending.exhausted?.message ?? report.reason;
  trace.emit({ type: 'agent-ended', ...exit, completed, reason, ...(turns === undefined ? {} : { turns }) });
  return spending.exhausted ?? report.fault;
}

async function problemOfTerminal({ system }: AgentRun): Promise<string | undefined> {
  return system ? 'agents in containers have none' : terminalProblem();
}

function withoutTerminal(problem: string): string {
  return `The agent ran with pipes and not in a terminal: ${problem}.`;
}

async function concludeWatch(network: TrialNetwork, watch: RequestWatch): Promise<void> {
  if (!(await network.drained())) watch.unread('a connection that did not end');
  watch.conclude();
}

/** The agent's own limit, where the gateway has the exact one: at most an answer and the results of its calls are a turn each. */
function roomyLimit({ countsOtherTurns }: AgentKind, maxTurns: number | undefined): number | undefined {
  return countsOtherTurns && maxTurns !== undefined ? 2 * maxTurns : undefined;
}

/** A perl by which callers can be identified; undefined where there is none. */
async function perlThatChecks({ work, folder }: AgentRun): Promise<string | undefined> {
  const { server } = await work.shims.choose(folder.recorderFolder);
  return server?.checksCallers ? server.perl : undefined;
}

/** Opened for all tasks of the agent. */
interface OpenedParts {
  readonly tool: ToolRecording | undefined;
  readonly transcript: Transcript;
  readonly servers: McpRecording | undefined;
  readonly gateway: ModelGateway | undefined;
  /** The network that the agent is to have. */
  readonly wanted: Network;
  readonly watch: RequestWatch | undefined;
  readonly terminal: AgentTerminal | undefined;
}

/** Opened for the time in which the agent does one of them. */
interface OpenParts extends OpenedParts, Pick<Task, 'prompt' | 'callPrefix'> {
  readonly env: Readonly<Record<string, string>>;
  readonly deadline: AbortSignal;
  readonly folders: IsolatedFolders;
  readonly network: TrialNetwork | undefined;
}

/** One session of the agent, with recorders in front of the tool and the MCP servers. */
class AgentDrive {
  readonly #run: AgentRun;
  readonly #isolation: Isolation;
  readonly #spending: SpendingGuard;
  readonly #modelWait: ModelWait;
  readonly #emit: EmitTrace;
  readonly #endings = new Endings();
  readonly #turnsOver = new AbortController();
  readonly #approver: PolicyApprover;
  readonly #harness: HarnessProof;

  constructor(run: AgentRun, isolation: Isolation, spending: SpendingGuard) {
    this.#run = run;
    this.#isolation = isolation;
    this.#spending = spending;
    this.#modelWait = new ModelWait(run.trial.scenario.timeoutMs, run.agent.kind);
    this.#emit = this.#modelWait.watch(spending.watch(run.trace.emit));
    const { trial, trace, stop, context } = run;
    this.#approver = PolicyApprover.of(trial, { emit: trace.emit, signal: stop.signal, context });
    assertAsks(run, this.#approver);
    this.#harness = new HarnessProof(run);
  }

  /** Stands between the agent and its model from before the agent starts. */
  async openGateway(costOf: CostOf): Promise<ModelGateway | undefined> {
    const gateway = await openModelGateway(this.#run, {
      emit: this.#emit,
      costOf,
      onLimit: (reason) => this.#spending.refuse(reason),
      onTurnLimit: (reason) => this.#turnsOver.abort(reason),
      onRequest: (request) => this.#harness.request(request),
    });
    if (gateway) this.#spending.leaveTo(gateway);
    else this.#noteUnseenGuidance();
    return gateway;
  }

  /** Without a gateway it cannot be seen whether guidance reaches the model. */
  #noteUnseenGuidance(): void {
    const { trial, agent, workspace } = this.#run;
    const { guidance } = trial.variant;
    if (guidance === undefined || workspace.laid.length === 0 || agent.kind.isScripted) return;
    const nothing = { calls: { with: 0, of: 0 }, files: [], foreign: [] };
    this.#emit({ type: 'instructions', guidance, arrived: 'unknown', ...nothing });
  }

  async report(gateway: ModelGateway | undefined, wanted: Network, hasTerminal: boolean): Promise<AgentReport> {
    const { room, folder, config, agent, work, trial, context, trace, system } = this.#run;
    const emit = this.#emit;
    await mkdir(folder.recorderFolder, { recursive: true });
    const tape = this.#run.taped?.tape;
    await using tool = await recordTool(this.#run, this.#isolation, this.#endings, emit);
    const recorded = {
      folder: join(folder.recorderFolder, 'mcp'),
      program: work.program,
      // The programs of a container cannot be looked at from outside.
      perl: system ? undefined : await perlThatChecks(this.#run),
      tag: trial.trialId,
      control: { plan: controlPlan(trial), seed: controlSeed(trial) },
      simulation: new Simulation(trial, emit, context),
      tape,
      trialBeganAtMs: trace.startedAt,
      emit,
    };
    await using servers = await recordServers(config, recorded, context);
    using transcript = new Transcript(join(room.privateFolder, basename(folder.transcriptFile)), work.redactStream());
    using raw = hasTerminal ? this.#openRawOutput() : undefined;
    const terminal = raw && { host: [...work.program, 'terminal-host'] as const, raw };
    // Without the gateway, requests to an allowed host may be those to the model, which has to read the secret.
    const isModelTrafficSeparate = gateway !== undefined || agent.kind.isScripted;
    const watch = isModelTrafficSeparate ? RequestWatch.of(recorded.control.plan?.attack?.goal, emit) : undefined;
    const opened = { tool, transcript, servers, gateway, wanted, watch, terminal };
    const { steps } = this.#run;
    const whole = { prompt: config.prompt, timeoutMs: trial.scenario.timeoutMs, callPrefix: '', isLast: true };
    const { report, fault } = steps
      ? await steps.take((task) => this.#doTask(opened, task))
      : await this.#doTask(opened, whole);
    const ofControl = await tool?.conclude();
    const ofAgent = this.#judgedByWork(fault);
    const ofServer = servers && (await concludeServers(servers, config, emit, ofAgent !== undefined));
    if (!report.fault && !this.#run.stop.isStopped) this.#run.taped?.keep();
    const unproven = this.#harness.conclude(trace.events, emit);
    if (transcript.problem) emit({ type: 'notice', message: `The transcript is incomplete: ${transcript.problem}` });
    return {
      ...this.#withTurnLimit(report),
      fault: ofControl ?? this.#approver.fault ?? decisiveFault(ofAgent, ofServer) ?? unproven,
    };
  }

  /** Lets the agent do one task with everything that the trial has opened for it. */
  async #doTask(opened: OpenedParts, { prompt, timeoutMs, callPrefix, isLast }: Task): Promise<DoneTask> {
    const { tool, servers, gateway, wanted, watch } = opened;
    const { agent, context, system } = this.#run;
    const emit = this.#emit;
    this.#modelWait.begin();
    gateway?.beginTask(prompt);
    // The provider took its time for these calls already.
    using deadline = new Deadline(Math.max(1, timeoutMs - (gateway?.answeredMs ?? 0)));
    using network = openTrialNetwork(wanted, gateway, servers?.reached ?? {}, emit, { watch, system });
    const variables = withPath(
      {
        ...this.#run.env.before,
        ...agentEnvironment(agent.kind, gateway?.settings ?? agent.settings, gateway?.env ?? context.env),
        ...tool?.recorder.env,
        ...(servers && { [serversVariable]: servers.serversFile }),
      },
      tool?.binFolders ?? [],
    );
    const env = (wanted !== 'open' && network?.environment(variables)) || variables;
    const timeIsUp = (): void => {
      this.#modelWait.timeIsUp();
      gateway?.timeIsUp();
    };
    deadline.signal.addEventListener('abort', timeIsUp, { once: true });
    const folders = chooseVisibleFiles(this.#run, tool);
    emit({ type: 'view', ...agentView(this.#run, { tier: this.#isolation.tier, folders, env, network: wanted }) });
    const parts = { ...opened, env, folders, deadline: deadline.signal, network, prompt, callPrefix };
    // All processes of a system have one network, which must be ready before the first of them starts.
    if (network && system) await network.enter(system.pid);
    const driven = agent.kind.drive(this.#session(parts));
    const report = await (isLast ? driven.finally(() => gateway?.conclude()) : driven);
    await system?.endProcesses();
    if (network && watch) await concludeWatch(network, watch);
    this.#isolation.tidy?.(folders);
    return { report, fault: this.#faultOf(report, gateway) };
  }

  #openRawOutput(): Transcript {
    const { room, work } = this.#run;
    return new Transcript(
      join(room.privateFolder, rawOutputFile),
      new TerminalRedaction(work.redact, work.redactStream()),
    );
  }

  /** An agent that was stopped after its last turn is judged by its work. */
  #withTurnLimit(report: AgentReport): AgentReport {
    const { signal } = this.#turnsOver;
    return signal.aborted ? { ...report, completed: false, reason: String(signal.reason) } : report;
  }

  /** An agent that used the tool did something, however it ended: its work is judged. */
  #judgedByWork(fault: AssayError | undefined): AssayError | undefined {
    const hasUsedTool = this.#run.trace.events.some(({ type, seenBy }) => type === 'command' && seenBy === 'recorder');
    return fault?.code === 'AGENT_FAILED' && hasUsedTool ? undefined : fault;
  }

  /** Silence is not a sign of a dead model where the gateway saw what came from it. */
  #faultOf({ fault, exit }: AgentReport, gateway: ModelGateway | undefined): AssayError | undefined {
    if (this.#turnsOver.signal.aborted) return undefined;
    // An agent that gave up after a fault of the scenario is judged by its work.
    if (gateway?.endedBroken) return fault?.code === 'AGENT_CRASHED' ? fault : undefined;
    if (gateway?.sawCalls) return fault ?? gateway.faultOf(exit);
    return fault ?? this.#modelWait.faultOf(exit);
  }

  #session(parts: OpenParts): AgentSession {
    const { env, deadline, transcript, servers, folders, gateway, network, terminal, prompt, callPrefix } = parts;
    const { agent, config, model, workspace, harness, stop, trial, system } = this.#run;
    const interrupt = AbortSignal.any([stop.signal, this.#spending.signal, this.#turnsOver.signal]);
    let processes = 0;
    return {
      prompt,
      model,
      home: workspace.home,
      workDirectory: workspace.directory,
      program: agent.program,
      env,
      settings: gateway?.settings ?? agent.settings,
      mcpServers: servers?.servers ?? {},
      approver: this.#approver,
      harness,
      maxTurns: gateway?.limitsTurns ? roomyLimit(agent.kind, config.maxTurns) : config.maxTurns,
      emit: (event) => {
        servers?.catchUp();
        // Agents begin to count their calls in each session.
        const isCall = callPrefix !== '' && (event.type === 'tool-call' || event.type === 'tool-result');
        this.#emit({ seenBy: 'agent', ...event, ...(isCall && { callId: `${callPrefix}${event.callId}` }) });
      },
      noteUsage: (soFar) => this.#spending.noteUsage(soFar),
      get isStopped() {
        return deadline.aborted || interrupt.aborted;
      },
      start: (launch) =>
        startAgentProcess(launch, {
          env,
          folders,
          isolation: this.#isolation,
          system,
          network,
          tag: `${trial.trialId}-${callPrefix}${++processes}`,
          transcript,
          terminal,
          deadline,
          interrupt,
          onEnding: (cause) => {
            // A scripted agent is many processes, and it is not over with the first of them.
            if (!agent.kind.isScripted) this.#spending.agentEnded();
            return this.#endings.begin(cause);
          },
          onLoss: (reason) => this.#emit({ type: 'gap', seenBy: 'agent', channels: [...ofAgents], reason }),
        }),
    };
  }
}

/** Under a policy, an agent that cannot ask would look as if it had wanted nothing. */
function assertAsks({ agent: { kind, settings } }: AgentRun, { hasPolicy }: PolicyApprover): void {
  if (!hasPolicy || kind.isStandIn) return;
  if (!kind.asks)
    throw new AssayError(
      'APPROVALS_UNSUPPORTED',
      `The agent "${kind.name}" cannot ask for permission: it runs without a terminal.`,
    );
  if (settings.terminal && !kind.needsPipes)
    throw new AssayError('APPROVALS_UNSUPPORTED', `The agent "${kind.name}" cannot ask for permission in a terminal.`, {
      hint: 'Leave `terminal` of the agent out, or `approvals` of the scenario.',
    });
}

/** An agent that could do nothing because its server was missing is not at fault. */
function decisiveFault(ofAgent: AssayError | undefined, ofServer: AssayError | undefined): AssayError | undefined {
  if (!ofAgent || !ofServer) return ofAgent ?? ofServer;
  // That the login was not enough is known; what the agent printed about it may read like a refusal of its model.
  if (ofServer.code === 'MCP_LOGIN_REQUIRED') return ofServer;
  return ofAgent.blame === 'agent' && ofServer.blame === 'target' ? ofServer : ofAgent;
}

/** Aborts its signal when the time is up. */
class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
