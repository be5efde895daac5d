import type { Message, MessageToolCall } from '../../../domain/message.ts';
import { isRecord } from '../../../shared/json.ts';

/** Stands for the missing name of a call. */
export const namelessTool = '';

/** Tool calls in any of the usual spellings, in OpenAI's format; undefined where there are none. */
export function readToolCalls(list: unknown): MessageToolCall[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const calls = list.flatMap((item: unknown, index) => readToolCall(item, index));
  return calls.length > 0 ? calls : undefined;
}

function readToolCall(item: unknown, index: number): MessageToolCall[] {
  if (typeof item === 'string') return [toolCall(`call_${index + 1}`, item, undefined)];
  if (!isRecord(item)) return [];
  const fn = isRecord(item.function) ? item.function : item;
  const id = firstText(item.id, item.toolCallId, item.tool_call_id, item.call_id, item.action_id);
  const name = firstText(fn.name, fn.toolName, fn.tool, fn.tool_name);
  const args = fn.arguments ?? fn.args ?? fn.input ?? fn.params ?? fn.parameters;
  return [toolCall(id ?? `call_${index + 1}`, name ?? namelessTool, args)];
}

/** A call in OpenAI's format; arguments that are text stay as they are. */
export function toolCall(id: string, name: string, args: unknown): MessageToolCall {
  const text = typeof args === 'string' ? args : JSON.stringify(args ?? {});
  return { id, type: 'function', function: { name, arguments: text } };
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}

type Block = Extract<Message['content'], readonly unknown[]>[number];

const roles: Readonly<Record<string, Message['role']>> = {
  user: 'user',
  human: 'user',
  humanmessage: 'user',
  system: 'system',
  developer: 'system',
  systemmessage: 'system',
  tool: 'tool',
  function: 'tool',
  toolmessage: 'tool',
};
/** Data nested deeper is dropped: serialising it could exhaust the stack. */
const deepestBlock = 100;

/** A message in any of the usual spellings; an unknown role is the assistant's. */
export function readMessage(value: unknown): Message | undefined {
  if (typeof value === 'string') return { role: 'assistant', content: value };
  if (!isRecord(value)) return undefined;
  const role = roleOf(value);
  const parts = partsOf(value);
  const content = contentOf(parts ?? value.content ?? value.text ?? value.refusal);
  const calls =
    readToolCalls(value.tool_calls) ??
    readToolCalls(value.toolCalls) ??
    toolCallsIn(parts ?? value.content) ??
    functionCallIn(value);
  const callId = value.tool_call_id ?? value.toolCallId ?? value.tool_use_id;
  return {
    role,
    content,
    ...(calls && role === 'assistant' && { tool_calls: calls }),
    ...(typeof callId === 'string' && { tool_call_id: callId }),
    ...(typeof value.name === 'string' && { name: value.name }),
    ...(typeof value.id === 'string' && { id: value.id }),
  };
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

function roleOf(message: Record<string, unknown>): Message['role'] {
  const role = typeof message.role === 'string' ? message.role : message.type;
  return (typeof role === 'string' ? roles[role.toLowerCase()] : undefined) ?? 'assistant';
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

/** Anthropic and others put calls among the blocks of the content. */
function toolCallsIn(content: unknown): Message['tool_calls'] {
  if (!Array.isArray(content)) return undefined;
  return readToolCalls(content.flatMap((block) => (isRecord(block) ? callOf(block) : [])));
}

/** A block that is a call: the AI SDK puts the name of the tool into the type, and Gemini the call into a field. */
function callOf(block: Record<string, unknown>): unknown[] {
  const type = String(block.type);
  if (/^tool[_-](use|call)$/.test(type) || type === 'dynamic-tool') return [block];
  if (type === 'tool-invocation') return isRecord(block.toolInvocation) ? [block.toolInvocation] : [];
  if (isRecord(block.functionCall)) return [block.functionCall];
  const isNamed = type.startsWith('tool-') && typeof block.toolCallId === 'string' && 'input' in block;
  return isNamed ? [{ ...block, name: type.slice('tool-'.length) }] : [];
}

/** OpenAI's format before it had tools. */
function functionCallIn({ function_call: call }: Record<string, unknown>): Message['tool_calls'] {
  return isRecord(call) ? readToolCalls([call]) : undefined;
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
