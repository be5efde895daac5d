import type { Loss } from '../../domain/loss.ts';
import type { Message } from '../../domain/message.ts';
import { canonicalJson, isRecord } from '../../shared/json.ts';
import { nameOf, objectOf, parseJson } from './coerce.ts';
import { lossesAtEnd } from './finish-reason.ts';
import { lost } from './losses.ts';

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

/** A tool call in a message. */
export interface MessageCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly input: unknown;
}

/** The result of a call in a message. */
export interface MessageResult {
  readonly id: unknown;
  readonly text: string;
  readonly error: string | undefined;
}

/** The parts of a message, in any of the supported notations. */
export interface ReadMessage {
  readonly role: Message['role'];
  /** Empty where it has none. */
  readonly text: string;
  readonly calls: readonly MessageCall[];
  readonly results: readonly MessageResult[];
  /** Parts that could not be placed. */
  readonly losses: readonly Loss[];
}

/** Whether an object is a chat message of OpenAI or Anthropic. */
export function isChatMessage(value: unknown): value is JsonObject {
  return (
    isRecord(value) && roleOf(value) !== undefined && ('content' in value || 'tool_calls' in value || 'parts' in value)
  );
}

function roleOf({ role }: JsonObject): Message['role'] | undefined {
  return typeof role === 'string' ? roles.get(role.toLowerCase()) : undefined;
}

/** The same text for a message each time it is written, whatever its notation. */
export function messageKey(message: JsonObject): string {
  const { role, text, calls, results } = readMessage(message) ?? {};
  return canonicalJson([role, text?.trim(), calls, results]);
}

/** The parts of a message; undefined for a value that is not a message. */
export function readMessage(message: unknown): ReadMessage | undefined {
  const role = isChatMessage(message) ? roleOf(message) : undefined;
  if (!isRecord(message) || role === undefined) return undefined;
  const parts = new MessageParts(role);
  parts.addContent(message.content ?? message.parts);
  for (const words of [message.refusal, objectOf(message.audio).transcript]) parts.addText(words);
  parts.addCalls(message.tool_calls, message.function_call);
  const { calls, losses, results } = parts;
  const text = parts.texts.join('\n');
  const ends = role === 'assistant' ? lossesAtEnd(message.finish_reason ?? message.stop_reason, calls.length > 0) : [];
  const own = role === 'tool' ? [resultOf(message, message.tool_call_id ?? message.id, text)] : [];
  return { role, text, calls, results: [...own, ...results], losses: [...losses, ...ends] };
}

function resultOf(block: JsonObject, id: unknown, text: string): MessageResult {
  const hasFailed = block.is_error === true || (block.error != null && block.error !== false && block.error !== '');
  const error = text || (nameOf(objectOf(block.error).message) ?? nameOf(block.error) ?? 'the tool failed');
  return { id, text, error: hasFailed ? error : undefined };
}

const textBlocks: ReadonlySet<string> = new Set(['text', 'input_text', 'output_text', 'refusal']);
const callBlocks: ReadonlySet<string> = new Set([
  ...['tool_use', 'tool_call', 'tool-call', 'server_tool_use', 'mcp_tool_use', 'function_call'],
]);
const resultBlocks = /^(?:tool-result|tool_call_response|(?:\w+_)?tool_result)$/;
/** Blocks with neither words nor calls in them. */
const otherBlocks =
  /^(?:thinking|redacted_thinking|reasoning|(?:input_|output_)?(?:image|audio|video|file)(?:_url)?|media|blob|uri|document|search_result|container_upload|cache_control)$/;

/** The blocks of a message by what they are. */
class MessageParts {
  readonly texts: string[] = [];
  readonly calls: MessageCall[] = [];
  readonly results: MessageResult[] = [];
  readonly losses: Loss[] = [];
  readonly #role: Message['role'];

  constructor(role: Message['role']) {
    this.#role = role;
  }

  addContent(content: unknown): void {
    if (typeof content === 'string') this.texts.push(content);
    else if (Array.isArray(content)) for (const block of content) this.#block(block);
    else if (isRecord(content)) this.#block(content);
    else if (content !== undefined && content !== null) this.#lose(`content is ${JSON.stringify(content)}`);
  }

  addText(text: unknown): void {
    if (typeof text === 'string' && text !== '') this.texts.push(text);
  }

  addCalls(listed: unknown, old: unknown): void {
    if (Array.isArray(listed)) for (const call of listed) this.#call(call, isRecord(call) ? call.function : undefined);
    else if (listed !== undefined && listed !== null) this.#lose('`tool_calls` is not a list');
    if (isRecord(old)) this.#call({}, old);
  }

  #block(block: unknown): void {
    if (!isRecord(block)) {
      if (typeof block === 'string') this.addText(block);
      else this.#lose('a block is not an object');
      return;
    }
    const type = block.type === undefined ? untypedKind(block) : String(block.type);
    if (textBlocks.has(type)) this.#words(block);
    else if (callBlocks.has(type)) this.#call(block, undefined);
    else if (resultBlocks.test(type)) this.#result(isRecord(block.functionResponse) ? block.functionResponse : block);
    else if (!otherBlocks.test(type)) this.#lose(`a block of the unknown kind ${JSON.stringify(block.type ?? null)}`);
  }

  #words({ text, content, refusal }: JsonObject): void {
    const words = [text, content, refusal].find((value) => typeof value === 'string');
    if (words === undefined) this.#lose('a block of text has no text');
    else this.texts.push(words as string);
  }

  #call(call: unknown, named: unknown): void {
    if (!isRecord(call)) {
      this.#lose('a tool call is not an object');
      return;
    }
    const custom = isRecord(call.custom) ? call.custom : undefined;
    const { functionCall } = call;
    const fields = [named, custom, functionCall].find(isRecord) ?? call;
    const name = nameOf(fields.name) ?? nameOf(fields.toolName) ?? nameOf(call.function);
    const written = fields.arguments ?? fields.args ?? fields.input;
    if (name === undefined) this.#loseCall('a tool call has no name');
    if (!custom && typeof written === 'string' && written.trim() !== '' && parseJson(written) === undefined) {
      this.#loseCall(`the arguments of a call of ${name ?? 'a tool'} are not JSON`);
    }
    const id = nameOf(call.id) ?? nameOf(call.tool_call_id) ?? nameOf(call.toolCallId);
    this.calls.push({ id, name: name ?? 'unknown', input: custom ? written : inputOf(written) });
  }

  #result(block: JsonObject): void {
    const inner = new MessageParts('tool');
    const { content, output, result, response } = block;
    const written = content ?? output ?? result ?? response;
    if (isRecord(written) && written.type === undefined) inner.addText(JSON.stringify(written));
    else inner.addContent(written);
    this.losses.push(...inner.losses);
    const id = block.tool_use_id ?? block.toolCallId ?? block.tool_call_id ?? block.id;
    this.results.push(resultOf(block, id, inner.texts.join('\n')));
  }

  #lose(reason: string): void {
    const channels = this.#role === 'assistant' ? lost.message : lost.result;
    if (this.#role !== 'system') this.losses.push({ channels, reason: `a message was not read: ${reason}` });
  }

  #loseCall(reason: string): void {
    this.losses.push({ channels: lost.call, reason });
  }
}

/** Gemini's blocks have no type. */
function untypedKind(block: JsonObject): string {
  if (typeof block.text === 'string') return 'text';
  if (isRecord(block.functionCall)) return 'tool_call';
  if (isRecord(block.functionResponse)) return 'tool_result';
  return '';
}

function inputOf(written: unknown): unknown {
  if (typeof written !== 'string') return written ?? {};
  return written.trim() === '' ? {} : (parseJson(written) ?? written);
}
