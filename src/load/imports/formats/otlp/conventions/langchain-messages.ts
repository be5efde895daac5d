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
    const kind = Array.isArray(id) ? String(id.at(-1)) : '';
    const [, role] = roles.find(([name]) => name.test(kind)) ?? [];
    return role === undefined || !isRecord(kwargs) ? [] : [chatMessage(role, kwargs)];
  });
}

/** The messages that a model of LangChain generated. */
export function generatedMessages(generations: unknown): JsonObject[] {
  const list = Array.isArray(generations) ? generations.flat() : [];
  return langChainMessages(list.map((generation) => objectOf(generation).message));
}

function chatMessage(role: string, { content, tool_calls: listed, tool_call_id, status }: JsonObject): JsonObject {
  const calls = (Array.isArray(listed) ? listed : []).filter(isRecord).map(({ id, name, args }) => {
    return { id, name, arguments: args ?? {} };
  });
  return {
    role,
    content: Array.isArray(content) ? content : (nameOf(content) ?? ''),
    ...(tool_call_id !== undefined && { tool_call_id }),
    ...(status === 'error' && { is_error: true }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}
