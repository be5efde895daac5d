import { gapOf } from '../../../../domain/loss.ts';
import type { Message, MessageToolCall } from '../../../../domain/message.ts';
import { onlyServerName } from '../../../../domain/tools/known-tools.ts';
import type { EmitTrace } from '../../../../domain/trace.ts';
import { knownUsage, sumOfUsage } from '../../../../domain/usage.ts';
import { missingContent } from '../../../mcp/result-losses.ts';
import type { McpAnswer } from '../../../mcp/session.ts';
import type { CallOutcome, ServerCall } from '../../../mcp/surfaces/call-tool.ts';
import type { OwnOutcome, SurfaceCall } from '../../../mcp/surfaces/make-surface.ts';
import type { ModelMessage, ModelReply, ModelToolCall } from '../../../models/model.ts';

/** A call of a model with the id that the trace knows it by: providers use theirs more than once. */
export interface LoggedCall extends ServerCall {
  /** Undefined for a call that a program of the model makes. */
  readonly requested: ModelToolCall | undefined;
  readonly callId: string;
}

/** A call of a model, and what it means; a tool that is not one of the server's is not a call to the server. */
export interface HeardCall {
  readonly requested: ModelToolCall;
  readonly meant: SurfaceCall;
  readonly logged: LoggedCall | undefined;
}

/** The workflow so far, as messages for the model and as trace events. */
export class WorkflowLog {
  readonly messages: ModelMessage[] = [];
  readonly #emit: EmitTrace;
  #callCount = 0;
  #turnNumber = 0;
  #ofTurn: Message[] = [];
  #replies: ModelReply[] = [];

  constructor(emit: EmitTrace) {
    this.#emit = emit;
  }

  /** The user's words begin a step. */
  say(text: string): void {
    this.#ofTurn = [];
    this.#replies = [];
    this.messages.push({ role: 'user', content: text });
    this.#emit({ type: 'message', role: 'user', text });
  }

  /** A reply of the model; returns its calls, those to the server with unique ids. */
  hear(reply: ModelReply, model: string, read: (call: ModelToolCall) => SurfaceCall): HeardCall[] {
    this.#replies.push(reply);
    const { text, toolCalls, usage, costUsd, gaps = [] } = reply;
    for (const loss of gaps) this.#emit(gapOf(loss));
    this.#emit({
      type: 'usage',
      model,
      ...usage,
      ...(costUsd !== null && { costUsd }),
    });
    if (text !== '') this.#emit({ type: 'message', role: 'assistant', text });
    const heard = toolCalls.map((requested): HeardCall => {
      const meant = read(requested);
      const logged = meant.kind === 'server' ? { ...meant.call, requested, callId: this.#nextId() } : undefined;
      return { requested, meant, logged };
    });
    // Providers refuse a message without content.
    if (text !== '' || toolCalls.length > 0) this.messages.push({ role: 'assistant', content: text, toolCalls });
    const tool_calls = heard.flatMap(({ logged }) => (logged ? [messageCall(logged)] : []));
    this.#ofTurn.push({ role: 'assistant', content: text, ...(tool_calls.length > 0 && { tool_calls }) });
    return heard;
  }

  /** A call that a program of the model makes. */
  callOfProgram(call: ServerCall): LoggedCall {
    const logged = { ...call, requested: undefined, callId: this.#nextId() };
    this.#ofTurn.push({ role: 'assistant', content: null, tool_calls: [messageCall(logged)] });
    return logged;
  }

  /** A search or a program is over. */
  endOwn({ callId, tool, input }: ModelToolCall, { text, error }: OwnOutcome, durationMs: number): void {
    const outcome = { output: text, ...(error !== undefined && { error: { message: error } }) };
    this.#emit({ type: 'surface-call', tool, input, durationMs, ...outcome });
    this.messages.push({ role: 'tool', callId, tool, content: text });
  }

  /** A call is about to be made. */
  begin({ callId, tool, input, refusal }: LoggedCall): void {
    const call = { callId, tool, server: onlyServerName, input };
    this.#emit({ type: 'tool-call', kind: 'mcp', ...call, ...(refusal !== undefined && { isRefused: true }) });
  }

  /** A request to the server beside the calls of the model, such as one about a task. */
  exchange(method: string, params: unknown, answer: McpAnswer): void {
    const { latencyMs: durationMs } = answer;
    const outcome =
      answer.kind === 'result' ? { result: answer.result } : { error: { message: answer.message, code: answer.code } };
    this.#emit({ type: 'mcp-exchange', direction: 'to-server', method, params, durationMs, ...outcome });
  }

  /** Logs the outcome of a call. */
  end({ callId, requested, tool }: LoggedCall, outcome: CallOutcome, durationMs: number): void {
    const { text, result, error, answeredBy } = outcome;
    const answer = { ...(result !== undefined && { result }), ...(error && { error }) };
    this.#emit({ type: 'tool-result', callId, durationMs, ...answer, ...(answeredBy && { answeredBy }) });
    for (const loss of missingContent(result)) this.#emit(gapOf(loss));
    if (requested) this.messages.push({ role: 'tool', callId: requested.callId, tool: requested.tool, content: text });
    this.#ofTurn.push({ role: 'tool', tool_call_id: callId, name: tool, content: text });
  }

  /** A step is over. */
  endStep(latencyMs: number): void {
    const usage = knownUsage(sumOfUsage(this.#replies.map((reply) => reply.usage)) ?? {});
    const isPriced = this.#replies.every(({ costUsd }) => costUsd !== null);
    this.#emit({
      type: 'turn',
      number: ++this.#turnNumber,
      messages: this.#ofTurn,
      latencyMs,
      ...(usage && { usage }),
      ...(isPriced && { costUsd: this.#sum(({ costUsd }) => costUsd ?? 0) }),
    });
  }

  #nextId(): string {
    return `call-${++this.#callCount}`;
  }

  #sum(figure: (reply: ModelReply) => number): number {
    return this.#replies.reduce((total, reply) => total + figure(reply), 0);
  }
}

function messageCall({ callId, tool, input }: LoggedCall): MessageToolCall {
  const written = typeof input === 'string' ? input : (JSON.stringify(input) ?? 'null');
  return { id: callId, type: 'function', function: { name: tool, arguments: written } };
}
