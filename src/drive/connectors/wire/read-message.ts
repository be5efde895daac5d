import type { Message } from '../../../domain/message.ts';
import { isRecord } from '../../../shared/json.ts';
import { readToolCalls } from './read-tool-calls.ts';

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
/** Deeper than this, what is in a block is data that nobody looks at and that could exhaust who writes it. */
const deepestBlock = 100;

/** A message in any of the usual spellings; whoever is not the user, a tool or the system is the assistant. */
export function readMessage(value: unknown): Message | undefined {
  if (typeof value === 'string') return { role: 'assistant', content: value };
  if (!isRecord(value)) return undefined;
  const role = roleOf(value);
  const parts = partsOf(value);
  const content = contentOf(parts ?? value.content ?? value.text ?? value.refusal);
  const calls =
    readToolCalls(value.tool_calls) ??
    readToolCalls(value.toolCalls) ??
    calledIn(parts ?? value.content) ??
    calledOnce(value);
  const answered = value.tool_call_id ?? value.toolCallId ?? value.tool_use_id;
  return {
    role,
    content,
    ...(calls && role === 'assistant' && { tool_calls: calls }),
    ...(typeof answered === 'string' && { tool_call_id: answered }),
    ...(typeof value.name === 'string' && { name: value.name }),
    ...(typeof value.id === 'string' && { id: value.id }),
  };
}

/** The pieces of a message where they have a list of their own, as those of Gemini and of the AI SDK have. */
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
  const named = typeof message.role === 'string' ? message.role : message.type;
  return (typeof named === 'string' ? roles[named.toLowerCase()] : undefined) ?? 'assistant';
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
function calledIn(content: unknown): Message['tool_calls'] {
  if (!Array.isArray(content)) return undefined;
  return readToolCalls(content.flatMap((block) => (isRecord(block) ? callOf(block) : [])));
}

/** A block that is a call; the AI SDK puts the name of the tool into its type, and Gemini the call into a field. */
function callOf(block: Record<string, unknown>): unknown[] {
  const type = String(block.type);
  if (/^tool[_-](use|call)$/.test(type) || type === 'dynamic-tool') return [block];
  if (type === 'tool-invocation') return isRecord(block.toolInvocation) ? [block.toolInvocation] : [];
  if (isRecord(block.functionCall)) return [block.functionCall];
  const isNamed = type.startsWith('tool-') && typeof block.toolCallId === 'string' && 'input' in block;
  return isNamed ? [{ ...block, name: type.slice('tool-'.length) }] : [];
}

/** What OpenAI had before it had tools. */
function calledOnce({ function_call: call }: Record<string, unknown>): Message['tool_calls'] {
  return isRecord(call) ? readToolCalls([call]) : undefined;
}
