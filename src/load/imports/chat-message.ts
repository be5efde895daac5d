import type { Loss } from '../../domain/loss.ts';
import type { Message } from '../../domain/message.ts';
import type { WireCall, WirePart, WireResult } from '../../drive/wire/codec.ts';
import { readBlocks } from '../../drive/wire/content-blocks.ts';
import { finishGaps } from '../../drive/wire/finish.ts';
import { readCalls } from '../../drive/wire/listed-calls.ts';
import { textOf } from '../../drive/wire/values.ts';
import { canonicalJson, isRecord } from '../../shared/json.ts';
import { type JsonObject, nameOf, objectOf, parseJson } from './coerce.ts';
import { lost } from './losses.ts';
import { errorText } from './score-verdict.ts';

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

/** Whether an object is a chat message of OpenAI, Anthropic or Gemini. */
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
  const unplaced: Loss[] = [];
  const parts = partsOf(message, unplaced);
  const freeform = freeformTools(message);
  const text = textOf(parts, '\n');
  const calls = parts.flatMap((part) => (part.kind === 'call' ? [callOf(part.call, freeform, unplaced)] : []));
  const results = parts.flatMap((part) => (part.kind === 'result' ? [resultOf(part.result)] : []));
  const own = role === 'tool' && results.length === 0 ? [ownResult(message, text)] : [];
  const reason = message.finish_reason ?? message.stop_reason;
  if (role === 'assistant' && reason != null) unplaced.push(...finishGaps(String(reason), calls.length > 0));
  return { role, text, calls, results: [...own, ...results], losses: lossesIn(role, unplaced) };
}

/** Instructions hold nothing of the agent's work, and other messages that are not its own only the results of its calls. */
function lossesIn(role: Message['role'], unplaced: readonly Loss[]): Loss[] {
  if (role === 'system') return [];
  return unplaced.map(({ reason, channels }) => ({ reason, channels: role === 'assistant' ? channels : lost.result }));
}

const unnamed = '';

function partsOf(message: JsonObject, unplaced: Loss[]): WirePart[] {
  const content = message.content ?? message.parts;
  const others = [message.refusal, objectOf(message.audio).transcript].flatMap((words) => nameOf(words) ?? []);
  return [
    ...readBlocks(content, 'content', unplaced, () => unnamed),
    ...others.map((text) => ({ kind: 'text', text }) as const),
    ...readCalls(message, 'message', unplaced, () => unnamed),
  ];
}

/** Tools that take text instead of JSON. */
function freeformTools({ tool_calls: calls }: JsonObject): ReadonlySet<unknown> {
  return new Set((Array.isArray(calls) ? calls : []).map((call) => objectOf(objectOf(call).custom).name));
}

function callOf(
  { callId, tool, arguments: written }: WireCall,
  freeform: ReadonlySet<unknown>,
  unplaced: Loss[],
): MessageCall {
  if (tool === '') unplaced.push({ channels: lost.call, reason: 'a tool call has no name' });
  const isText = typeof written === 'string' && written.trim() !== '' && !freeform.has(tool);
  if (isText && parseJson(written) === undefined)
    unplaced.push({ channels: lost.call, reason: `the arguments of a call of ${tool || 'a tool'} are not JSON` });
  return {
    id: callId === unnamed ? undefined : callId,
    name: tool || 'unknown',
    input: freeform.has(tool) ? written : inputOf(written),
  };
}

function inputOf(written: unknown): unknown {
  if (typeof written !== 'string') return written ?? {};
  return written.trim() === '' ? {} : (parseJson(written) ?? written);
}

function resultOf({ callId, content, isError }: WireResult): MessageResult {
  return { id: callId || undefined, text: content, error: isError ? content || 'the tool failed' : undefined };
}

/** The result that a message of a tool is. */
function ownResult(message: JsonObject, text: string): MessageResult {
  const failure = errorText(message.error);
  const hasFailed = message.is_error === true || failure !== undefined;
  return {
    id: message.tool_call_id ?? message.id,
    text,
    error: hasFailed ? text || (failure ?? 'the tool failed') : undefined,
  };
}
