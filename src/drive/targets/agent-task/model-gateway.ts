import { controlOfTrial, controlSeed } from '../../../domain/control-of-trial.ts';
import type { AssayError } from '../../../domain/errors.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import type { AgentExit, AgentSettings } from '../../agents/agent.ts';
import { agentRoutes, routedAgent } from '../../gateway/agent-routes.ts';
import { CallWatch } from '../../gateway/call-watch.ts';
import { ModelFaults } from '../../gateway/model-faults.ts';
import type { Gateway } from '../../gateway/open-gateway.ts';
import { trialAttack } from '../../tool-control/attack/arm-attack.ts';
import type { ReceivedRequest } from '../../wire/codec.ts';
import { type AgentRun, pinnedModelOf } from './agent-run.ts';
import type { CostOf } from './agent-work.ts';
import { installedSkills } from './installed-skills.ts';
import { instructionPatterns } from './instruction-patterns.ts';
import { keepCalls, noteUnrecorded, openTape } from './model-recording.ts';

interface GatewayRequest {
  readonly emit: EmitTrace;
  readonly costOf: CostOf;
  /** Stops the agent at a limit. */
  readonly onLimit: (reason: AssayError) => void;
  /** Stops the agent without a fault. */
  readonly onTurnLimit: (reason: string) => void;
  readonly onRequest: (request: ReceivedRequest) => void;
}

/** The gateway between one agent and its model. */
export interface ModelGateway {
  /** With the address of the gateway and placeholders for keys. */
  readonly settings: AgentSettings;
  /** The user's environment without the agent's keys. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether turns are limited here, because the agent neither limits nor reports them, or counts something else. */
  readonly limitsTurns: boolean;
  /** Whether the provider reported tokens, so the agent's own figures do not count. */
  readonly hasUsage: boolean;
  /** Whether the agent sent a request to its model. */
  readonly sawCalls: boolean;
  /** Whether Assay broke the last request of the agent. */
  readonly endedBroken: boolean;
  /** Milliseconds that its provider took for the calls of an attempt before, from which the trial goes on. */
  readonly answeredMs: number;
  /** Where a trial with its own network finds the gateway. */
  readonly door: Pick<Gateway, 'url' | 'accept'>;
  /** To be called when the agent gets a task. */
  beginTask(task: string): void;
  timeIsUp(): void;
  /** To be called when the agent has ended: ends what is open and emits what was found. */
  conclude(): Promise<void>;
  /** The fault of the provider from which the agent did not recover. */
  faultOf(exit: AgentExit): AssayError | undefined;
}

/** Puts the gateway between the agent and its model; undefined where the agent cannot be sent to another address. */
export async function openModelGateway(run: AgentRun, request: GatewayRequest): Promise<ModelGateway | undefined> {
  const { agent, work, context, trial } = run;
  const routes = agentRoutes(agent.kind, agent.settings, context.env);
  const trialTape = await keepCalls(run, request.emit, request.costOf);
  if (routes.length === 0) {
    noteUnrecorded(run, request.emit);
    return undefined;
  }
  const tape = await openTape(run, request.emit);
  const gateway = await work.openGateway();
  const limitsTurns = agent.kind.reports.work !== 'live' || agent.kind.countsOtherTurns === true;
  const instructions = instructionPatterns(run, await installedSkills(run));
  const open = gateway.openSession({ ...sessionOptions(run, request, limitsTurns), instructions, tape, trialTape });
  const places = routes.map((route) => ({ route, ...open.addRoute(route.target) }));
  const { session, conclude } = open;
  const { timeoutMs } = trial.scenario;
  const answeredMs = trialTape?.answeredMs ?? 0;
  return {
    ...routedAgent(agent.kind, agent.settings, context.env, places),
    limitsTurns,
    answeredMs,
    door: gateway,
    get hasUsage() {
      return session.hasUsage;
    },
    get sawCalls() {
      return session.callCount > 0;
    },
    get endedBroken() {
      return session.outages.wasInjected;
    },
    beginTask: (task) => session.beginTask(task),
    timeIsUp: () => session.outages.timeIsUp(session.silentMs, timeoutMs),
    conclude,
    faultOf: ({ timedOut }) => session.outages.fault(timedOut),
  };
}

function sessionOptions(run: AgentRun, { costOf, ...request }: GatewayRequest, limitsTurns: boolean) {
  const { config, folder, work, trial } = run;
  const faults = (controlOfTrial(trial)?.faults ?? []).filter(({ border }) => border === 'model');
  return {
    ...request,
    redact: work.redact,
    folder: folder.path,
    limits: { costOf, maxUsd: config.maxUsd, maxTokens: config.maxTokens, run: work.budget },
    pinnedModel: pinnedModelOf(run),
    maxTurns: limitsTurns ? config.maxTurns : undefined,
    task: config.prompt,
    faults: faults.length > 0 ? new ModelFaults(faults, controlSeed(trial), request.emit) : undefined,
    watch: CallWatch.of(trialAttack(trial)?.goal, request.emit),
  };
}
