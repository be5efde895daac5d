import type { Message, MessageToolCall } from '../../../domain/message.ts';
import { isRecord } from '../../../shared/json.ts';
import { toolCall } from '../wire/read-tool-calls.ts';

type Item = Record<string, unknown>;

/**
 * The items of a response as one message of the assistant, followed by what tools answered that the provider itself
 * called; empty when there is nothing in it.
 */
export function readOutput(output: readonly unknown[]): Message[] {
  const items = output.filter(isRecord);
  const texts = items.filter(({ type }) => type === 'message').map(textOf);
  const calls = items.filter(({ type }) => typeof type === 'string' && type.endsWith('_call')).map(readCall);
  if (texts.length === 0 && calls.length === 0) return [];
  const said = items.find(({ type }) => type === 'message');
  const message: Message = {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join('\n'),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(typeof said?.id === 'string' && { id: said.id }),
  };
  return [message, ...items.flatMap(readResult)];
}

function textOf({ content }: Item): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  return parts.map(({ text, refusal }) => [text, refusal].find((said) => typeof said === 'string') ?? '').join('');
}

/** Calls of functions, and of tools that the provider has itself, which are named by their type. */
function readCall(item: Item, index: number): MessageToolCall {
  const { type, id, call_id: callId, name, status: _, arguments: given, input, output: __, ...rest } = item;
  const called = [callId, id].find((text): text is string => typeof text === 'string') ?? `call_${index + 1}`;
  return toolCall(called, typeof name === 'string' ? name : String(type).replace(/_call$/, ''), given ?? input ?? rest);
}

function readResult({ type, id, output, name }: Item): Message[] {
  if (type !== 'mcp_call' || typeof output !== 'string' || typeof id !== 'string') return [];
  return [{ role: 'tool', tool_call_id: id, content: output, ...(typeof name === 'string' && { name }) }];
}
