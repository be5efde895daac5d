import type { MessageToolCall } from '../../../domain/message.ts';
import { isRecord } from '../../../shared/json.ts';

/** The name of a call that came without one; nothing can be asserted about it. */
export const namelessTool = '';

/** Calls of tools in any of the usual spellings, as OpenAI writes them; undefined where there are none. */
export function readToolCalls(list: unknown): MessageToolCall[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const calls = list.flatMap((item: unknown, index) => readToolCall(item, index));
  return calls.length > 0 ? calls : undefined;
}

function readToolCall(item: unknown, index: number): MessageToolCall[] {
  if (typeof item === 'string') return [toolCall(`call_${index + 1}`, item, undefined)];
  if (!isRecord(item)) return [];
  const called = isRecord(item.function) ? item.function : item;
  const id = firstText(item.id, item.toolCallId, item.tool_call_id, item.call_id, item.action_id);
  const name = firstText(called.name, called.toolName, called.tool, called.tool_name);
  const given = called.arguments ?? called.args ?? called.input ?? called.params ?? called.parameters;
  return [toolCall(id ?? `call_${index + 1}`, name ?? namelessTool, given)];
}

/** A call as OpenAI writes it; arguments that are text stay as they are, be they JSON or not. */
export function toolCall(id: string, name: string, given: unknown): MessageToolCall {
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  return { id, type: 'function', function: { name, arguments: text } };
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}
