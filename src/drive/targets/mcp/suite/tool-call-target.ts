import { AssayError } from '../../../../domain/errors.ts';
import { gapOf } from '../../../../domain/loss.ts';
import { onlyServerName } from '../../../../domain/tools/known-tools.ts';
import { meaningOfResult } from '../../../../domain/tools/tool-meaning.ts';
import type { Trial } from '../../../../domain/trial.ts';
import { isRecord } from '../../../../shared/json.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import { trialControl } from '../../../mcp/control/trial-control.ts';
import { errorOfAnswer, missingContent, reportRefused } from '../../../mcp/result-losses.ts';
import { serverEvent } from '../../../mcp/server-event.ts';
import type { McpAnswer, SessionLease } from '../../../mcp/session.ts';
import type { StampedTrace } from '../../stamped-trace.ts';
import type { StopRequest, Target, TargetContext, TurnControl } from '../../target.ts';
import type { ToolCallConfig } from '../mcp-tool-target.ts';
import { leaseServer, openTape } from './suite-server.ts';

/** One tool of a server, called directly. */
export class ToolCallTarget implements Target {
  readonly #config: ToolCallConfig;
  readonly #context: TargetContext;

  constructor(config: ToolCallConfig, context: TargetContext) {
    this.#config = config;
    this.#context = context;
  }

  async attempt(trial: Trial, trace: StampedTrace, stop: StopRequest, turns: TurnControl): Promise<undefined> {
    const { emit } = trace;
    const { server, tool } = this.#config;
    const args = argumentsOf(trial);
    const limits = { timeoutMs: trial.scenario.timeoutMs, signal: stop.signal };
    const tape = openTape(this.#context, trial, emit);
    const control = trialControl(trial, emit, onlyServerName, this.#context, tape);
    await using lease = await trace.preparing(() => leaseServer(server, this.#context, { ...limits, control }));
    if (lease.session.broken) await lease.reopen(limits);
    const { session } = lease;
    using _refused = reportRefused(session, emit);
    const tools = await session.listTools(limits);
    emit(serverEvent(lease, tools, { isTested: (name) => name === tool }));
    assertOffered(tool, lease);
    const { trialId: callId } = trial;
    await turns.prepared?.();
    emit({ type: 'tool-call', kind: 'mcp', callId, tool, server: onlyServerName, input: args });
    const answer = await session.callTool(tool, args, limits);
    const { latencyMs: durationMs, answeredBy } = answer;
    emit({ type: 'tool-result', callId, durationMs, ...meaningOf(answer), ...(answeredBy && { answeredBy }) });
    // The result of a call without an agent is its answer.
    for (const loss of answer.kind === 'result' ? missingContent(answer.result) : [])
      emit(gapOf({ ...loss, channels: ['answers', ...loss.channels] }));
    await lease.assertPinned(limits, [tool]);
    await tape?.conclude();
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function argumentsOf({ case: { caseId, input } }: Trial): Readonly<Record<string, unknown>> {
  if (input === undefined || input === null) return {};
  if (isRecord(input)) return input;
  throw new AssayError('FILE_INVALID', `The input of "${caseId}" is not an object; an MCP tool takes named arguments.`);
}

function assertOffered(tool: string, { pins, session }: SessionLease): void {
  const names = Object.keys(pins);
  if (names.includes(tool)) return;
  throw new AssayError('TARGET_NOT_LOADED', `The MCP server "${session.facts.label}" has no tool "${tool}".`, {
    hint: suggestion(tool, names),
  });
}

/** An error of whatever kind is an answer of the tool. */
function meaningOf(answer: McpAnswer) {
  const error = errorOfAnswer(answer);
  return error || answer.kind === 'error' ? { error } : { result: meaningOfResult(answer.result) };
}
