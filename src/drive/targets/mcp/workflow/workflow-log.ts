import { onlyServerName } from '../../../../domain/mcp/suites.ts';
import type { Message, MessageToolCall } from '../../../../domain/message.ts';
import type { EmitTrace } from '../../../../domain/trace.ts';
import type { McpAnswer } from '../../../mcp/session.ts';
import type { ModelMessage, ModelReply, ModelToolCall } from '../../../models/model.ts';
import type { CallOutcome, ServerCall } from './call-tool.ts';

/** A call of a model with the id that the trace knows it by: providers use theirs more than once. */
export interface LoggedCall extends ServerCall {
  readonly requested: ModelToolCall;
  readonly callId: string;
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

  /** A reply of the model; returns its calls, with unique ids. */
  hear(reply: ModelReply, model: string, calls: readonly ServerCall[]): LoggedCall[] {
    this.#replies.push(reply);
    const { text, toolCalls, usage, costUsd } = reply;
    const { cachedInputTokens, ...tokens } = usage;
    this.#emit({
      type: 'usage',
      model,
      ...tokens,
      ...(cachedInputTokens !== undefined && { cachedInputTokens }),
      ...(costUsd !== null && { costUsd }),
    });
    if (text !== '') this.#emit({ type: 'message', role: 'assistant', text });
    const logged = calls.flatMap((call, index): LoggedCall[] => {
      const requested = toolCalls[index];
      return requested ? [{ ...call, requested, callId: `call-${++this.#callCount}` }] : [];
    });
    // Providers refuse a message without content.
    if (text !== '' || toolCalls.length > 0) this.messages.push({ role: 'assistant', content: text, toolCalls });
    const tool_calls = logged.map(messageCall);
    this.#ofTurn.push({ role: 'assistant', content: text, ...(tool_calls.length > 0 && { tool_calls }) });
    return logged;
  }

  /** A call is about to be made. */
  begin({ callId, tool, input }: LoggedCall): void {
    this.#emit({ type: 'tool-call', kind: 'mcp', callId, tool, server: onlyServerName, input });
  }

  /** A request to the server beside the calls of the model, such as one about a task. */
  exchange(method: string, params: unknown, answer: McpAnswer): void {
    const { latencyMs: durationMs } = answer;
    const outcome =
      answer.kind === 'result' ? { result: answer.result } : { error: { message: answer.message, code: answer.code } };
    this.#emit({ type: 'mcp-exchange', direction: 'to-server', method, params, durationMs, ...outcome });
  }

  /** Logs the outcome of a call. */
  end({ callId, requested, tool }: LoggedCall, { text, result, error }: CallOutcome, durationMs: number): void {
    const answer = { ...(result !== undefined && { result }), ...(error && { error }) };
    this.#emit({ type: 'tool-result', callId, durationMs, ...answer });
    this.messages.push({ role: 'tool', callId: requested.callId, tool: requested.tool, content: text });
    this.#ofTurn.push({ role: 'tool', tool_call_id: callId, name: tool, content: text });
  }

  /** A step is over. */
  endStep(latencyMs: number): void {
    const input = this.#sum(({ usage }) => usage.inputTokens);
    const output = this.#sum(({ usage }) => usage.outputTokens);
    const isPriced = this.#replies.every(({ costUsd }) => costUsd !== null);
    this.#emit({
      type: 'turn',
      number: ++this.#turnNumber,
      messages: this.#ofTurn,
      latencyMs,
      tokenUsage: { input, output, total: input + output },
      ...(isPriced && { costUsd: this.#sum(({ costUsd }) => costUsd ?? 0) }),
    });
  }

  #sum(figure: (reply: ModelReply) => number): number {
    return this.#replies.reduce((total, reply) => total + figure(reply), 0);
  }
}

function messageCall({ callId, tool, input }: LoggedCall): MessageToolCall {
  const written = typeof input === 'string' ? input : (JSON.stringify(input) ?? 'null');
  return { id: callId, type: 'function', function: { name: tool, arguments: written } };
}
