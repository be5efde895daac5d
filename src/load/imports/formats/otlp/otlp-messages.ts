import { isRecord } from '../../../../shared/json.ts';
import { nameOf, objectOf, parseJson } from '../../coerce.ts';
import type { JsonObject, OtlpSpan } from './otlp-span.ts';

const roleOfEvent: Readonly<Record<string, string>> = {
  'gen_ai.system.message': 'system',
  'gen_ai.user.message': 'user',
  'gen_ai.assistant.message': 'assistant',
  'gen_ai.tool.message': 'tool',
  'gen_ai.choice': 'assistant',
};

/** The messages of a span, input before output, in any of the supported notations. */
export function messagesOf({ attributes, events }: OtlpSpan): JsonObject[] {
  const places = [attributes, ...events.map((event) => event.attributes)];
  const listed = places.flatMap((place) => [
    ...messageList(place['gen_ai.system_instructions'], 'system'),
    ...messageList(place['gen_ai.input.messages']),
    ...messageList(place['gen_ai.output.messages']),
  ]);
  if (listed.length > 0) return listed;
  const ofEvents = [
    ...events.flatMap((event) => messageOfEvent(event.name, event.attributes)),
    ...writtenEvents(attributes.events),
  ];
  return ofEvents.length > 0
    ? ofEvents
    : [...numbered(attributes, 'gen_ai.prompt'), ...numbered(attributes, 'gen_ai.completion')];
}

function messageList(written: unknown, role?: string): JsonObject[] {
  const value = typeof written === 'string' ? parseJson(written) : written;
  const list = Array.isArray(value) ? value.filter(isRecord) : [];
  if (role !== undefined) return list.length === 0 ? [] : [{ role, content: list }];
  return list.flatMap(withToolAnswers);
}

/** Results of tools are parts of messages in OTLP, and separate messages here. */
function withToolAnswers(message: JsonObject): JsonObject[] {
  const parts = Array.isArray(message.parts) ? message.parts.filter(isRecord) : [];
  const answers = parts.filter(({ type }) => type === 'tool_call_response');
  const others = parts.filter(({ type }) => type !== 'tool_call_response');
  const results = answers.map((part) => ({
    role: 'tool',
    tool_call_id: part.id,
    content: textOf(part.response ?? part.result),
  }));
  return answers.length > 0 && others.length === 0
    ? results
    : [{ ...message, ...(parts.length > 0 && { parts: others }) }, ...results];
}

/** Pydantic AI and Logfire write events of the second generation of names into one attribute. */
function writtenEvents(written: unknown): JsonObject[] {
  const value = typeof written === 'string' ? parseJson(written) : written;
  const list = Array.isArray(value) ? value.filter(isRecord) : [];
  return list.flatMap((event) => messageOfEvent(nameOf(event['event.name']) ?? '', event));
}

function messageOfEvent(name: string, attributes: JsonObject): JsonObject[] {
  const role = roleOfEvent[name];
  if (role === undefined) return [];
  const body = parsed(attributes['gen_ai.event.content'] ?? attributes.event_body);
  const message = parsed(attributes.message);
  const merged = { ...attributes, ...objectOf(body), ...objectOf(objectOf(body).message), ...objectOf(message) };
  const content = merged.content ?? (typeof body === 'string' ? body : typeof message === 'string' ? message : null);
  return [
    { ...merged, role, content, tool_calls: parsed(merged.tool_calls), tool_call_id: merged.id ?? merged.tool_call_id },
  ];
}

/** `gen_ai.prompt.0.role`, `gen_ai.prompt.0.content` and so on. */
function numbered(attributes: JsonObject, prefix: string): JsonObject[] {
  const messages: JsonObject[] = [];
  for (let index = 0; `${prefix}.${index}.role` in attributes || `${prefix}.${index}.content` in attributes; index++) {
    const field = (name: string): unknown => attributes[`${prefix}.${index}.${name}`];
    const calls: JsonObject[] = [];
    for (let call = 0; field(`tool_calls.${call}.name`) !== undefined; call++) {
      const part = (name: string): unknown => field(`tool_calls.${call}.${name}`);
      calls.push({ id: part('id'), name: part('name'), arguments: part('arguments') });
    }
    const role = nameOf(field('role')) ?? (prefix.endsWith('completion') ? 'assistant' : 'user');
    const content = parsed(field('content'));
    const isBlocks = Array.isArray(content);
    messages.push({
      role,
      content: isBlocks ? content : (field('content') ?? null),
      tool_call_id: field('tool_call_id'),
      ...(calls.length > 0 && { tool_calls: calls }),
    });
  }
  return messages;
}

function parsed(value: unknown): unknown {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value;
}

/** The text of a list of text blocks; any other value as it is. */
export function unwrapText(value: unknown): unknown {
  const blocks = Array.isArray(value) ? value : [];
  const isText = blocks.length > 0 && blocks.every((block) => isRecord(block) && typeof block.text === 'string');
  return isText ? blocks.map(({ text }) => text).join('\n') : value;
}

function textOf(written: unknown): string {
  const value = unwrapText(written);
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
