import { isRecord } from '../../../../../shared/json.ts';
import { nameOf, objectOf } from '../../../coerce.ts';
import type { JsonObject } from '../otlp-span.ts';

const roles: readonly (readonly [RegExp, string])[] = [
  [/^System/, 'system'],
  [/^Human/, 'user'],
  [/^AI/, 'assistant'],
  [/^(?:Tool|Function)/, 'tool'],
];

/** The chat messages of a list of LangChain's messages, which may be in a further list. */
export function langChainMessages(written: unknown): JsonObject[] {
  const list = Array.isArray(written) ? written.flat() : [];
  return list.filter(isRecord).flatMap((message) => {
    const { id, kwargs } = message;
    if (!Array.isArray(id)) return [];
    const [, role] = roles.find(([name]) => name.test(String(id.at(-1)))) ?? [];
    // One of an unknown kind is not a message, which its reader will say.
    return role === undefined || !isRecord(kwargs) ? [message] : [chatMessage(role, kwargs)];
  });
}

/** The messages that a model of LangChain generated. */
export function generatedMessages(generations: unknown): JsonObject[] {
  const list = Array.isArray(generations) ? generations.flat() : [];
  return langChainMessages(list.map((generation) => objectOf(generation).message));
}

function chatMessage(role: string, { content, tool_calls: listed, tool_call_id, status }: JsonObject): JsonObject {
  const calls = (Array.isArray(listed) ? listed : []).map((call: unknown) => {
    const { id, name, args } = objectOf(call);
    return isRecord(call) ? { id, name, arguments: args ?? {} } : call;
  });
  return {
    role,
    content: Array.isArray(content) ? content : (nameOf(content) ?? ''),
    ...(tool_call_id !== undefined && { tool_call_id }),
    ...(status === 'error' && { is_error: true }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}
