import type { Message, MessageToolCall } from '../../domain/message.ts';
import type { TraceEventOf } from '../../domain/trace.ts';
import { counted } from '../../shared/format.ts';
import { isRecord } from '../../shared/json.ts';
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

/** Whether an object is a message in the manner of OpenAI's or Anthropic's chats. */
export function isChatMessage(value: unknown): value is JsonObject {
  return (
    isRecord(value) && roleOf(value) !== undefined && ('content' in value || 'tool_calls' in value || 'parts' in value)
  );
}

/** Whether a tool is a shell by its name, with the command line that it was given. */
export function shellCommandOf(tool: string, input: unknown): { shellCommand?: string } {
  const command = isRecord(input) ? (input.command ?? input.cmd) : undefined;
  return shellTools.test(tool) && typeof command === 'string' ? { shellCommand: command } : {};
}

/** Who speaks, in our words. */
function roleOf({ role }: JsonObject): Message['role'] | undefined {
  return typeof role === 'string' ? roles.get(role.toLowerCase()) : undefined;
}

/** A call of a tool as a message tells it. */
interface ToldCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly input: unknown;
}

/** The calls of a message, in any of the ways in which they are written. */
function callsIn(message: JsonObject): ToldCall[] {
  const listed = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isRecord) : [];
  const old = isRecord(message.function_call) ? [{ function: message.function_call }] : [];
  const called = [...listed, ...old].map((call: JsonObject) => {
    const named = isRecord(call.function) ? call.function : call;
    return {
      id: nameOf(call.id),
      name: nameOf(named.name) ?? 'unknown',
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

/** The parts of a message that has some. */
function blocksOf({ content, parts }: JsonObject): JsonObject[] {
  const list = content ?? parts;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** The words of a message; empty where it has none. */
function textIn(message: JsonObject): string {
  if (typeof message.content === 'string') return message.content;
  const texts = blocksOf(message).map(({ type, text, content }) => {
    if (type === 'tool_use' || type === 'tool_call' || type === 'tool_result') return undefined;
    return typeof text === 'string' ? text : content;
  });
  return texts.filter((text) => typeof text === 'string').join('\n');
}

const longestAnswer = 1_048_576;

type RequestUsage = Pick<TraceEventOf<'usage'>, 'inputTokens' | 'outputTokens' | 'costUsd' | 'model'>;

/** Where the events of a conversation go. */
type Teller = Pick<TraceCollector, 'emit' | 'setTime'>;

/** Tells the messages of a conversation as events, and each answer to the user as a turn. */
export class ChatNarrator {
  readonly #collector: Teller;
  readonly #unnamedCalls: string[] = [];
  #answer: Message[] = [];
  #answerSize = 0;
  #leftOut = 0;
  #turns = 0;
  #calls = 0;
  #askedAtMs: number | undefined;
  #answeredAtMs: number | undefined;
  #answerUsage: { input: number; output: number; costUsd: number | undefined } | undefined;

  constructor(collector: Teller) {
    this.#collector = collector;
  }

  /** False for what is no message. */
  tell(message: unknown): boolean {
    const role = isChatMessage(message) ? roleOf(message) : undefined;
    if (!isRecord(message) || role === undefined) return false;
    const timeMs = timeOf(message.timestamp ?? message.created_at);
    this.#collector.setTime(timeMs);
    if (role === 'assistant') this.#assistant(message, timeMs);
    else if (role === 'tool') this.#toolResult(message, message.tool_call_id ?? message.id);
    else this.#told(role, message, timeMs);
    this.tellUsage(message);
    return true;
  }

  /** To be called after the last message. */
  finish(): void {
    if (this.#answer.length === 0) return;
    const latencyMs =
      this.#askedAtMs === undefined || this.#answeredAtMs === undefined
        ? undefined
        : this.#answeredAtMs - this.#askedAtMs;
    const measured = latencyMs === undefined || latencyMs < 0 ? {} : { latencyMs };
    const number = ++this.#turns;
    this.#collector.emit({ type: 'turn', number, messages: this.#answer, ...measured, ...this.#takeUsage() });
    if (this.#leftOut > 0) {
      const message = `turn ${number} is told without ${counted(this.#leftOut, 'message')}: it is too long`;
      this.#collector.emit({ type: 'notice', seenBy: 'engine', message });
    }
    this.#answer = [];
    this.#answerSize = 0;
    this.#leftOut = 0;
  }

  /** The messages of an answer are events already; of a long one the turn has the first and the last. */
  #addToAnswer(message: Message): void {
    this.#answer.push(message);
    this.#answerSize += charactersIn(message);
    while (this.#answerSize > longestAnswer && this.#answer.length > 2) {
      this.#answerSize -= charactersIn(this.#answer.splice(1, 1)[0]);
      this.#leftOut++;
    }
  }

  #told(role: 'user' | 'system', message: JsonObject, timeMs: number | undefined): void {
    const results = blocksOf(message).filter(({ type }) => type === 'tool_result');
    for (const block of results) this.#toolResult(block, block.tool_use_id);
    const text = textIn(message);
    if (text === '') return;
    if (role === 'user') {
      this.finish();
      this.#askedAtMs = timeMs;
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

  #toolCall(call: ToldCall): MessageToolCall {
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
    const hasFailed = message.is_error === true || message.error === true;
    const answer = hasFailed ? { error: { message: text || 'the tool failed' } } : { result: text };
    this.#collector.emit({ type: 'tool-result', callId, durationMs: 0, ...answer });
    this.#addToAnswer({ role: 'tool', content: text, tool_call_id: callId });
  }

  /** What a message or a whole conversation says that it took. */
  tellUsage({ usage: told, cost }: JsonObject): void {
    const usage = objectOf(told);
    const inputTokens = amountOf(usage.prompt_tokens, usage.input_tokens);
    const outputTokens = amountOf(usage.completion_tokens, usage.output_tokens);
    const costUsd = amountOf(cost);
    if (inputTokens === undefined && outputTokens === undefined && costUsd === undefined) return;
    this.countUsage({ inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0, ...optionalCost(costUsd) });
  }

  /** What one request to a model took; it belongs to the answer that is being given. */
  countUsage(usage: RequestUsage): void {
    this.#collector.emit({ type: 'usage', ...usage });
    const { input, output, costUsd } = this.#answerUsage ?? { input: 0, output: 0, costUsd: 0 };
    this.#answerUsage = {
      input: input + usage.inputTokens,
      output: output + usage.outputTokens,
      // A sum in which one cost is missing is not a cost.
      costUsd: costUsd === undefined || usage.costUsd === undefined ? undefined : costUsd + usage.costUsd,
    };
  }

  #takeUsage(): Pick<TraceEventOf<'turn'>, 'tokenUsage' | 'costUsd'> {
    const usage = this.#answerUsage;
    this.#answerUsage = undefined;
    if (!usage) return {};
    const { input, output, costUsd } = usage;
    return { tokenUsage: { input, output, total: input + output }, ...optionalCost(costUsd) };
  }
}

function optionalCost(costUsd: number | undefined): { costUsd?: number } {
  return costUsd === undefined ? {} : { costUsd };
}
