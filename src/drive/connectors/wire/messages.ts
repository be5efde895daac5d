import type { Loss } from '../../../domain/loss.ts';
import type { Message, MessageToolCall } from '../../../domain/message.ts';
import { isRecord, resemblesJson } from '../../../shared/json.ts';
import type { WireCall } from '../../wire/codec.ts';
import { anyContent, readBlocks } from '../../wire/content-blocks.ts';
import { finishGaps } from '../../wire/finish.ts';
import { readCallList, readCalls } from '../../wire/listed-calls.ts';
import { argumentText, callsOf, recordIn, someText } from '../../wire/values.ts';

/** Tool calls in any of the usual spellings, in OpenAI's format. */
export function messageCalls(list: unknown, gaps: Loss[], place = 'tool_calls'): MessageToolCall[] {
  return asMessageCalls(callsOf(readCallList(list, place, gaps)));
}

function asMessageCalls(calls: readonly WireCall[]): MessageToolCall[] {
  return calls.map((call) => toolCall(call.callId, call.tool, argumentText(call)));
}

/** A call in OpenAI's format; arguments that are text stay as they are. */
export function toolCall(id: string, name: string, args: unknown): MessageToolCall {
  const text = typeof args === 'string' ? args : JSON.stringify(args ?? {});
  return { id, type: 'function', function: { name, arguments: text } };
}

type Block = Extract<Message['content'], readonly unknown[]>[number];

const roles: Readonly<Record<string, Message['role']>> = {
  ...rolesOf('user', 'user', 'human', 'humanmessage', 'humanmessagechunk'),
  ...rolesOf('system', 'system', 'developer', 'systemmessage'),
  ...rolesOf('tool', 'tool', 'function', 'toolmessage', 'toolmessagechunk', 'functionmessage'),
  ...rolesOf('assistant', 'assistant', 'ai', 'aimessage', 'aimessagechunk', 'model', 'agent', 'bot'),
  // Types of messages that say nothing about their author.
  ...rolesOf('assistant', 'message', 'text', 'response', 'answer', 'reply'),
};

function rolesOf(role: Message['role'], ...spellings: readonly string[]): Record<string, Message['role']> {
  return Object.fromEntries(spellings.map((spelling) => [spelling, role]));
}

/** Data nested deeper is dropped: serialising it could exhaust the stack. */
const deepestBlock = 100;

/** A message in any of the usual spellings; an unknown role is the assistant's, and what cannot be placed a gap. */
export function readMessage(value: unknown, gaps: Loss[] = [], place = 'message'): Message | undefined {
  if (typeof value === 'string') return { role: 'assistant', content: value };
  if (!isRecord(value)) return undefined;
  const role = roleOf(value, gaps, place);
  const parts = partsOf(value);
  const written = parts ?? value.content ?? value.text ?? value.refusal;
  const content = contentOf(written);
  const calls = role === 'assistant' ? callsIn(value, parts ?? value.content, gaps, place) : [];
  if (isBroken(written) || (role === 'assistant' && content === null && calls.length === 0))
    gaps.push({ channels: ['answers', 'tool-calls'], reason: 'a message has neither words nor calls', place });
  const callId = value.tool_call_id ?? value.toolCallId ?? value.tool_use_id;
  gaps.push(...finishGaps(finishOf(value), calls.length > 0, place));
  return {
    role,
    content,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(typeof callId === 'string' && { tool_call_id: callId }),
    ...(typeof value.name === 'string' && { name: value.name }),
    ...(typeof value.id === 'string' && { id: value.id }),
    ...(role === 'tool' && statusOf(value.status, gaps, place)),
  };
}

/** LangChain keeps the reason among its metadata. */
function finishOf(message: Record<string, unknown>): string | undefined {
  const metadata = recordIn(message.response_metadata);
  return someText(
    message.finish_reason ?? metadata.finish_reason,
    message.stop_reason ?? metadata.stop_reason,
    message.finishReason ?? metadata.finishReason,
  );
}

/** Content of a kind that no message has: words, blocks and records with a text are known. */
function isBroken(content: unknown): boolean {
  return typeof content === 'number' || typeof content === 'boolean';
}

/** Spellings of how a tool ended; a result without one is a result. */
const statuses: Readonly<Record<string, 'success' | 'error'>> = {
  ...{ success: 'success', ok: 'success', completed: 'success', done: 'success' },
  ...{ error: 'error', failed: 'error', failure: 'error' },
};

function statusOf(written: unknown, gaps: Loss[], place: string): { readonly status?: 'error' } {
  const status = written === undefined || written === null ? 'success' : statuses[String(written).toLowerCase()];
  if (status === undefined)
    gaps.push({ channels: ['tool-results'], reason: `a result of the unknown status ${String(written)}`, place });
  return status === 'error' ? { status } : {};
}

const fieldsOfCalls = ['tool_calls', 'toolCalls', 'function_call', 'invalid_tool_calls'];

/** Calls beside the content and among its blocks, where Anthropic and others put them; an id in both is one call. */
function callsIn(value: Record<string, unknown>, blocks: unknown, gaps: Loss[], place: string): MessageToolCall[] {
  // So it is in most answers.
  if (!Array.isArray(blocks) && fieldsOfCalls.every((field) => value[field] === undefined)) return [];
  const beside = asMessageCalls([
    ...callsOf(readCalls({ ...value, tool_calls: value.tool_calls ?? value.toolCalls }, place, gaps)),
    // LangChain sets calls apart whose arguments are not JSON.
    ...callsOf(readCallList(value.invalid_tool_calls, `${place}.invalid_tool_calls`, gaps)),
  ]);
  const ids = new Set(beside.map(({ id }) => id));
  // LangChain lists words without a block around them.
  const listed = Array.isArray(blocks)
    ? blocks.filter((block) => typeof block !== 'string' || resemblesJson(block))
    : [];
  const inside = callsOf(readBlocks(listed, `${place}.content`, gaps));
  return [...beside, ...asMessageCalls(inside.filter(({ callId }) => !ids.has(callId)))];
}

/** The parts of a message where they have their own list, as in Gemini and the AI SDK. */
function partsOf({ content, parts }: Record<string, unknown>): readonly unknown[] | undefined {
  if (Array.isArray(parts) && (content === undefined || content === null || content === '')) return parts;
  return isRecord(content) && Array.isArray(content.parts) ? content.parts : undefined;
}

/** The content of a message: text, blocks, or null where there is none. */
export function contentOf(value: unknown): Message['content'] {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) return isRecord(value) && typeof value.text === 'string' ? value.text : asText(value);
  return value.map(blockOf);
}

/** Any value as text: JSON, unless it is text already. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function roleOf(message: Record<string, unknown>, gaps: Loss[], place: string): Message['role'] {
  const written = typeof message.role === 'string' ? message.role : message.type;
  if (typeof written !== 'string') return 'assistant';
  const role = roles[written.toLowerCase()];
  if (role === undefined)
    gaps.push({ channels: anyContent, reason: `a message of the unknown type ${written}`, place });
  return role ?? 'assistant';
}

function blockOf(value: unknown): Block {
  if (!isRecord(value)) return { type: 'text', text: asText(value) };
  const { type, text, ...rest } = value;
  return {
    ...(isNestedBelow(rest, deepestBlock) ? rest : {}),
    type: typeof type === 'string' ? type : typeof text === 'string' ? 'text' : 'unknown',
    ...(typeof text === 'string' && { text }),
  };
}

function isNestedBelow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((part) => isNestedBelow(part, depth - 1));
}

/** Leaves out the metadata, which is only for us. */
export function withoutMetadata(messages: readonly Message[]): readonly Message[] {
  if (!messages.some((message) => 'metadata' in message)) return messages;
  return messages.map(({ metadata: _, ...message }) => message as Message);
}

/** Merges consecutive messages of the same role: providers want user and assistant to alternate. */
export function mergeNeighbours(messages: readonly Message[]): Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const before = merged.at(-1);
    if (before && canMerge(before, message)) merged[merged.length - 1] = joined(before, message);
    else merged.push(message);
  }
  return merged;
}

/**
 * The conversation with a result for each tool call. Calls that the agent left to its client are not made here, and
 * providers refuse a conversation that continues without their results.
 */
export function withToolResults(messages: readonly Message[]): Message[] {
  const answered = new Set(messages.map(({ tool_call_id: id }) => id));
  return messages.flatMap((message) => [
    message,
    ...(message.tool_calls ?? []).filter(({ id }) => !answered.has(id)).map(notRun),
  ]);
}

function notRun({ id, function: { name } }: MessageToolCall): Message {
  return { role: 'tool', tool_call_id: id, name, content: 'This tool was not run.' };
}

function canMerge(before: Message, after: Message): boolean {
  if (before.role !== after.role || before.tool_calls) return false;
  return before.role === 'user' || before.role === 'assistant';
}

function joined(before: Message, after: Message): Message {
  const calls = after.tool_calls ? { tool_calls: after.tool_calls } : {};
  return { role: before.role, content: joinedContent(before.content, after.content), ...calls };
}

function joinedContent(before: Message['content'], after: Message['content']): Message['content'] {
  if (before === null || after === null) return before ?? after;
  if (typeof before === 'string' && typeof after === 'string') return `${before}\n\n${after}`;
  return [...blocksOf(before), ...blocksOf(after)];
}

export function blocksOf(content: Message['content']): Exclude<Message['content'], string | null> {
  if (content === null || content === '') return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
