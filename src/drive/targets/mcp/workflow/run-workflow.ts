import { UnansweredRequests, unansweredEvents } from '../../../../domain/costs.ts';
import { AssayError } from '../../../../domain/errors.ts';
import type { Workflow } from '../../../../domain/mcp/suites.ts';
import { onlyServerName } from '../../../../domain/tools/known-tools.ts';
import type { EmitTrace } from '../../../../domain/trace.ts';
import type { PolicyApprover } from '../../../approvals/approver.ts';
import { answerElicitation } from '../../../approvals/elicitation.ts';
import { ServerMessages } from '../../../mcp/server-messages.ts';
import type { McpSession, SessionLease, ToolChange } from '../../../mcp/session.ts';
import { type CallOutcome, callTool } from '../../../mcp/surfaces/call-tool.ts';
import type { Surface } from '../../../mcp/surfaces/make-surface.ts';
import type { Model, ModelReply } from '../../../models/model.ts';
import type { WaitClock } from '../../../pacing/clock.ts';
import type { TurnControl } from '../../target.ts';
import { type HeardCall, type LoggedCall, WorkflowLog } from './workflow-log.ts';

interface WorkflowRun {
  readonly workflow: Workflow;
  readonly model: Model;
  readonly system: string;
  readonly offered: Surface;
  /** The tools after a change that was accepted. */
  offerAgain(changes: readonly ToolChange[]): Promise<Surface>;
  readonly session: McpSession;
  readonly lease: Pick<SessionLease, 'assertPinned' | 'announcedChanges'>;
  /** For one request to the server. */
  readonly timeoutMs: number;
  /** Answers what the server asks its user for; undefined where that is refused. */
  readonly approver?: PolicyApprover | undefined;
  /** Distinguishes repetitions of the trial. */
  readonly seed: number;
  readonly emit: EmitTrace;
  readonly turns: TurnControl;
  readonly signal: AbortSignal;
  /** Stands still while the model waits for a rate limit. */
  readonly clock?: WaitClock | undefined;
}

/**
 * Says what the user says, step by step, and lets the model use the tools until it has nothing more to do. A tool that
 * fails is reported to the model and the steps go on; a server that breaks ends the workflow.
 */
export async function runWorkflow(run: WorkflowRun): Promise<void> {
  const { workflow, session, lease, timeoutMs, signal } = run;
  const log = new WorkflowLog(run.emit);
  let { offered } = run;
  for (const [index, { user }] of workflow.steps.entries()) {
    const began = performance.now();
    log.say(user);
    offered = await takeStep(run, offered, log);
    log.endStep(performance.now() - began);
    if (session.broken) throw session.broken;
    const accepted = await lease.assertPinned({ timeoutMs, signal });
    if (accepted.length > 0) offered = await run.offerAgain(accepted);
    if ((await run.turns.afterTurn(index === workflow.steps.length - 1)) === 'stop') return;
  }
}

/** Returns the tools as they are afterwards: a server may offer others after a call. */
async function takeStep(run: WorkflowRun, first: Surface, log: WorkflowLog): Promise<Surface> {
  const { emit, lease, timeoutMs, signal } = run;
  const { maxSteps } = run.workflow;
  let offered = first;
  let searches = 0;
  for (let request = 1; request - searches <= maxSteps; request++) {
    const reply = await ask(run, offered, log);
    const surface = offered;
    const heard = log.hear(reply, run.model.name, (call) => surface.read(call));
    if (heard.length === 0) {
      noteOddEnd(reply, emit);
      return offered;
    }
    // A request that only finds tools is not one that other surfaces need; as many again are allowed.
    if (searches < maxSteps && heard.every(({ meant }) => meant.kind === 'search')) searches++;
    // One after the other, as the model wrote them: the order is part of what is judged, and tools have effects.
    for (const call of heard) await takeCall(call, run, log);
    const accepted = run.session.broken ? [] : await lease.announcedChanges({ timeoutMs, signal });
    if (accepted.length > 0) offered = await run.offerAgain(accepted);
  }
  emit({ type: 'notice', message: `The model still called tools in its last request (maxSteps: ${maxSteps})` });
  return offered;
}

async function ask(run: WorkflowRun, offered: Surface, log: WorkflowLog): Promise<ModelReply> {
  const { model, system, seed, signal, clock, emit } = run;
  const unanswered = new UnansweredRequests();
  const request = { system, messages: [...log.messages], tools: offered.forModel, seed };
  try {
    return await model.generate(request, signal, unanswered, clock);
  } catch (error) {
    if (!signal.aborted || (error instanceof AssayError && error.code === 'FAULT_ENDED_TRIAL')) throw error;
    // A model that is still thinking when the time of the trial is up is late itself.
    throw new AssayError('MODEL_TIMEOUT', `${model.name} did not answer within the time limit.`, { cause: error });
  } finally {
    for (const event of unansweredEvents(model.name, unanswered.count, 'target')) emit(event);
  }
}

async function takeCall({ requested, meant, logged }: HeardCall, run: WorkflowRun, log: WorkflowLog): Promise<void> {
  if (logged) await makeCall(logged, run, log);
  if (meant.kind === 'server') return;
  const began = performance.now();
  const outcome = await meant.run((call) => makeCall(log.callOfProgram(call), run, log), run.signal);
  log.endOwn(requested, outcome, performance.now() - began);
}

async function makeCall(call: LoggedCall, run: WorkflowRun, log: WorkflowLog): Promise<CallOutcome> {
  const { session, timeoutMs, signal } = run;
  const began = performance.now();
  log.begin(call);
  const { approver } = run;
  const { tool, callId } = call;
  using messages = new ServerMessages(session, run.emit, {
    callId,
    refusesRequests: true,
    elicit: approver && ((params) => answerElicitation(params, { tool, callId, server: onlyServerName }, approver)),
  });
  const outcome = await callTool(call, session, {
    timeoutMs,
    signal,
    meta: { progressToken: messages.progressToken },
    onTaskExchange: ({ method, params, answer }) => log.exchange(method, params, answer),
  });
  log.end(call, outcome, performance.now() - began);
  if (approver?.fault) throw approver.fault;
  if (outcome.fault) throw outcome.fault;
  return outcome;
}

function noteOddEnd({ finishReason, text }: ModelReply, emit: EmitTrace): void {
  const notes: Readonly<Record<ModelReply['finishReason'], string | undefined>> = {
    length: "The model's answer was cut off at its length limit",
    'content-filter': "The provider withheld the model's answer (content filter)",
    stop: undefined,
    'tool-calls': undefined,
    pause: 'The model only paused, and did not finish its answer',
    other: undefined,
  };
  const message = notes[finishReason] ?? (text === '' ? 'The answer of the model is empty' : undefined);
  if (message !== undefined) emit({ type: 'notice', message });
}
