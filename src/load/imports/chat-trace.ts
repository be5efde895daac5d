import type { Message, MessageToolCall } from '../../domain/message.ts';
import type { TraceEventOf } from '../../domain/trace.ts';
import { counted } from '../../shared/format.ts';
import { canonicalJson, isRecord } from '../../shared/json.ts';
import { amountOf, charactersIn, nameOf, objectOf, parseJson, timeOf } from './coerce.ts';
import type { TraceCollector } from './trace-collector.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const roles: ReadonlyMap<string, Message['role']> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
  ['model', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

const shellTools = /^(?:bash|shell|sh|terminal|run_shell_command|execute_bash|run_command|exec_command|local_shell)$/i;

/** Whether an object is a chat message of OpenAI or Anthropic. */
export function isChatMessage(value: unknown): value is JsonObject {
  return (
    isRecord(value) && roleOf(value) !== undefined && ('content' in value || 'tool_calls' in value || 'parts' in value)
  );
}

/** The command line of a call, if the tool's name is that of a shell. */
export function shellCommandOf(tool: string, input: unknown): { shellCommand?: string } {
  const command = isRecord(input) ? (input.command ?? input.cmd) : undefined;
  return shellTools.test(tool) && typeof command === 'string' ? { shellCommand: command } : {};
}

/** The same text for a message each time it is written, whatever its notation. */
export function messageKey(message: JsonObject): string {
  const role = roleOf(message);
  const results = blocksOf(message).filter(({ type }) => type === 'tool_result');
  const answered = role === 'tool' ? (message.tool_call_id ?? message.id) : undefined;
  return canonicalJson([role, textIn(message).trim(), callsIn(message), results, answered]);
}

/** Role of a message. */
function roleOf({ role }: JsonObject): Message['role'] | undefined {
  return typeof role === 'string' ? roles.get(role.toLowerCase()) : undefined;
}

/** A tool call in a message. */
interface MessageCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly input: unknown;
}

/** The tool calls of a message, in any of the supported notations. */
function callsIn(message: JsonObject): MessageCall[] {
  const listed = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isRecord) : [];
  const old = isRecord(message.function_call) ? [{ function: message.function_call }] : [];
  const called = [...listed, ...old].map((call: JsonObject) => {
    const named = isRecord(call.function) ? call.function : call;
    return {
      id: nameOf(call.id),
      name: nameOf(named.name) ?? nameOf(call.function) ?? 'unknown',
      input: inputOf(named.arguments ?? named.args),
    };
  });
  const blocks = blocksOf(message).filter(({ type }) => type === 'tool_use' || type === 'tool_call');
  const inBlocks = blocks.map(({ id, name, input, arguments: written }) => {
    return { id: nameOf(id), name: nameOf(name) ?? 'unknown', input: inputOf(input ?? written) };
  });
  return [...called, ...inBlocks];
}

function inputOf(written: unknown): unknown {
  return typeof written === 'string' ? (parseJson(written) ?? written) : (written ?? {});
}

/** The content blocks of a message. */
function blocksOf({ content, parts }: JsonObject): JsonObject[] {
  const list = content ?? parts;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** The text of a message; empty where it has none. */
function textIn(message: JsonObject): string {
  if (typeof message.content === 'string') return message.content;
  const texts = blocksOf(message).map(({ type, text, content }) => {
    if (type === 'tool_use' || type === 'tool_call' || type === 'tool_result') return undefined;
    return typeof text === 'string' ? text : content;
  });
  return texts.filter((text) => typeof text === 'string').join('\n');
}

const longestAnswer = 1_048_576;

type RequestUsage = Pick<TraceEventOf<'usage'>, 'costUsd' | 'model'> & {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
};

interface AnswerUsage {
  readonly tokens: { readonly input: number; readonly output: number } | undefined;
  readonly costUsd: number | undefined;
}

/** Receiver of a conversation's events. */
type EventReceiver = Pick<TraceCollector, 'emit' | 'setTime'>;

/** Turns the messages of a conversation into events, and each answer to the user into a turn. */
export class ChatTraceBuilder {
  readonly #collector: EventReceiver;
  readonly #unnamedCalls: string[] = [];
  #answer: Message[] = [];
  #answerSize = 0;
  #leftOut = 0;
  #turns = 0;
  #calls = 0;
  #promptedAtMs: number | undefined;
  #answeredAtMs: number | undefined;
  #answerUsage: AnswerUsage | undefined;
  #isPartial = false;

  constructor(collector: EventReceiver) {
    this.#collector = collector;
  }

  /** False for a value that is not a message. */
  add(message: unknown): boolean {
    const role = isChatMessage(message) ? roleOf(message) : undefined;
    if (!isRecord(message) || role === undefined) return false;
    const timeMs = timeOf(message.timestamp ?? message.created_at);
    this.#collector.setTime(timeMs);
    if (role === 'assistant') this.#assistant(message, timeMs);
    else if (role === 'tool') this.#toolResult(message, message.tool_call_id ?? message.id);
    else this.#addPrompt(role, message, timeMs);
    // Tokens of a simulated user are not the agent's.
    if (role === 'assistant') this.addUsage(message);
    return true;
  }

  /** Must be called after the last message. */
  finish(): void {
    if (this.#answer.length === 0) return;
    const latencyMs =
      this.#promptedAtMs === undefined || this.#answeredAtMs === undefined
        ? undefined
        : this.#answeredAtMs - this.#promptedAtMs;
    const measured = latencyMs === undefined || latencyMs < 0 ? {} : { latencyMs };
    const number = ++this.#turns;
    this.#collector.emit({ type: 'turn', number, messages: this.#answer, ...measured, ...this.#takeUsage() });
    if (this.#leftOut > 0) {
      const message = `turn ${number} lacks ${counted(this.#leftOut, 'message')}: it is too long`;
      this.#collector.emit({ type: 'notice', seenBy: 'engine', message });
    }
    this.#answer = [];
    this.#answerSize = 0;
    this.#leftOut = 0;
  }

  /** All messages are events; the turn of a long answer has only the first and the last ones. */
  #addToAnswer(message: Message): void {
    this.#answer.push(message);
    this.#answerSize += charactersIn(message);
    while (this.#answerSize > longestAnswer && this.#answer.length > 2) {
      this.#answerSize -= charactersIn(this.#answer.splice(1, 1)[0]);
      this.#leftOut++;
    }
  }

  #addPrompt(role: 'user' | 'system', message: JsonObject, timeMs: number | undefined): void {
    const results = blocksOf(message).filter(({ type }) => type === 'tool_result');
    for (const block of results) this.#toolResult(block, block.tool_use_id);
    const text = textIn(message);
    if (text === '') return;
    if (role === 'user') {
      this.finish();
      this.#promptedAtMs = timeMs;
      this.#answeredAtMs = undefined;
    }
    this.#collector.emit({ type: 'message', seenBy: 'engine', role, text });
  }

  #assistant(message: JsonObject, timeMs: number | undefined): void {
    this.#answeredAtMs = timeMs ?? this.#answeredAtMs;
    const thought = nameOf(message.reasoning_content) ?? nameOf(message.reasoning);
    if (thought !== undefined) this.#collector.emit({ type: 'reasoning', text: thought });
    const text = textIn(message);
    if (text !== '') this.#collector.emit({ type: 'message', role: 'assistant', text });
    const calls = callsIn(message).map((call) => this.#toolCall(call));
    this.#addToAnswer({
      role: 'assistant',
      content: text === '' ? null : text,
      ...(calls.length > 0 && { tool_calls: calls }),
    });
  }

  #toolCall(call: MessageCall): MessageToolCall {
    this.#calls++;
    const callId = call.id ?? `call-${this.#calls}`;
    if (call.id === undefined) this.#unnamedCalls.push(callId);
    const { name: tool, input } = call;
    this.#collector.emit({ type: 'tool-call', callId, tool, input, ...shellCommandOf(tool, input) });
    const written = typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
    return { id: callId, type: 'function', function: { name: tool, arguments: written } };
  }

  #toolResult(message: JsonObject, id: unknown): void {
    const callId = nameOf(id) ?? this.#unnamedCalls.shift() ?? 'unknown';
    const text = textIn(message);
    const hasFailed = message.is_error === true || message.error === true || isRecord(message.error);
    const why = text || (nameOf(objectOf(message.error).message) ?? 'the tool failed');
    const answer = hasFailed ? { error: { message: why } } : { result: text };
    this.#collector.emit({ type: 'tool-result', callId, ...answer });
    this.#addToAnswer({ role: 'tool', content: text, tool_call_id: callId });
  }

  /** Overrides the sum of the trace with null where a request reported only one of its token counts. */
  get usage(): { readonly usage?: null } {
    return this.#isPartial ? { usage: null } : {};
  }

  /** Adds the usage that a message or a whole conversation reports. */
  addUsage({ usage: reported, cost }: JsonObject): void {
    const usage = objectOf(reported);
    const inputTokens = amountOf(usage.prompt_tokens, usage.input_tokens);
    const outputTokens = amountOf(usage.completion_tokens, usage.output_tokens);
    const costUsd = amountOf(cost);
    this.countUsage({ inputTokens, outputTokens, ...optionalCost(costUsd) });
  }

  /** Adds the usage of one request to a model to the current answer; one of two token counts is not a usage. */
  countUsage({ inputTokens, outputTokens, ...rest }: RequestUsage): void {
    const tokens = inputTokens === undefined || outputTokens === undefined ? undefined : { inputTokens, outputTokens };
    const isReported = inputTokens !== undefined || outputTokens !== undefined;
    this.#isPartial ||= isReported && !tokens;
    if (!tokens && rest.costUsd === undefined) return;
    this.#collector.emit({ type: 'usage', inputTokens: 0, outputTokens: 0, ...tokens, ...rest });
    const before = this.#answerUsage ?? { tokens: { input: 0, output: 0 }, costUsd: 0 };
    this.#answerUsage = {
      // A sum in which one figure is missing is not a figure.
      tokens: before.tokens &&
        tokens && {
          input: before.tokens.input + tokens.inputTokens,
          output: before.tokens.output + tokens.outputTokens,
        },
      costUsd: before.costUsd === undefined || rest.costUsd === undefined ? undefined : before.costUsd + rest.costUsd,
    };
  }

  #takeUsage(): Pick<TraceEventOf<'turn'>, 'usage' | 'costUsd'> {
    const usage = this.#answerUsage;
    this.#answerUsage = undefined;
    if (!usage) return {};
    const { tokens, costUsd } = usage;
    return {
      ...(tokens && { usage: { inputTokens: tokens.input, outputTokens: tokens.output } }),
      ...optionalCost(costUsd),
    };
  }
}

function optionalCost(costUsd: number | undefined): { costUsd?: number } {
  return costUsd === undefined ? {} : { costUsd };
}
