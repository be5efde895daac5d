import type { Loss } from '../../../../domain/loss.ts';
import { finishGaps } from '../../../../drive/wire/finish.ts';
import { isRecord } from '../../../../shared/json.ts';
import { readMessage } from '../../chat-message.ts';
import { nameOf, objectOf, parseJson } from '../../coerce.ts';
import { lost } from '../../losses.ts';
import type { JsonObject, OtlpSpan } from './otlp-span.ts';

const roleOfEvent: Readonly<Record<string, string>> = {
  'gen_ai.system.message': 'system',
  'gen_ai.user.message': 'user',
  'gen_ai.assistant.message': 'assistant',
  'gen_ai.tool.message': 'tool',
  'gen_ai.choice': 'assistant',
};

/** The messages of a span, input before output, and what of them is missing. */
export interface SpanMessages {
  readonly messages: readonly unknown[];
  readonly losses: readonly Loss[];
}

/** The messages of a span in any of the supported notations. */
export function messagesOf({ attributes, events }: OtlpSpan): SpanMessages {
  const places = [attributes, ...events.map((event) => event.attributes)];
  const lists = places.flatMap((place) => [
    messageList(place, 'gen_ai.system_instructions'),
    messageList(place, 'gen_ai.input.messages'),
    messageList(place, 'gen_ai.output.messages'),
  ]);
  const losses = lists.flatMap((list) => list.losses);
  const listed = lists.flatMap(({ messages }) => messages);
  if (listed.length > 0 || losses.length > 0) return { messages: listed, losses };
  const ofEvents = events.flatMap((event) => messageOfEvent(event.name, event.attributes));
  const written = writtenEvents(attributes.events);
  if (ofEvents.length > 0 || written.messages.length > 0 || written.losses.length > 0) {
    return { messages: [...ofEvents, ...written.messages], losses: written.losses };
  }
  const [input, output] = [numbered(attributes, 'gen_ai.prompt'), numbered(attributes, 'gen_ai.completion')];
  return { messages: [...input.messages, ...output.messages], losses: [...input.losses, ...output.losses] };
}

/** The missing part of the answer of a span, by the reasons for which its model stopped. */
export function lossesAtEndOf(reasons: unknown, messages: readonly unknown[]): Loss[] {
  const [last] = messages.slice(-1);
  const { role, calls = [] } = readMessage(last) ?? {};
  const read = parsed(reasons);
  const list = Array.isArray(read) ? read : [read];
  return list.flatMap((reason) => finishGaps(nameOf(reason), role === 'assistant' && calls.length > 0));
}

function messageList(place: JsonObject, name: string): SpanMessages {
  const written = place[name];
  if (written === undefined || written === null) return { messages: [], losses: [] };
  const value = parsed(written);
  if (name === 'gen_ai.system_instructions') {
    return { messages: [{ role: 'system', content: Array.isArray(value) ? value.map(plainPart) : value }], losses: [] };
  }
  if (Array.isArray(value)) return { messages: value.flatMap(withToolAnswers), losses: [] };
  return {
    messages: [],
    losses: [{ channels: lost.message, reason: `\`${name}\` is cut or is not a list of messages` }],
  };
}

/** Results of tools are parts of messages in OTLP, and separate messages here. */
function withToolAnswers(message: unknown): unknown[] {
  if (!isRecord(message) || !Array.isArray(message.parts)) return [message];
  const isAnswer = (part: unknown): part is JsonObject => isRecord(part) && part.type === 'tool_call_response';
  const answers = message.parts.filter(isAnswer);
  const others = message.parts.filter((part) => !isAnswer(part)).map(plainPart);
  const results = answers.map((part) => ({
    role: 'tool',
    tool_call_id: part.id,
    content: textOf(part.response ?? part.result),
  }));
  return answers.length > 0 && others.length === 0 ? results : [{ ...message, parts: others }, ...results];
}

/** OpenTelemetry writes words as the content of a part, and files by how they are sent. */
function plainPart(part: unknown): unknown {
  if (!isRecord(part)) return part;
  if (part.type === 'text' && part.text === undefined) return { type: 'text', text: part.content };
  return part.type === 'blob' || part.type === 'uri' ? { ...part, type: 'file' } : part;
}

/** Pydantic AI and Logfire write events of the second generation of names into one attribute. */
function writtenEvents(written: unknown): SpanMessages {
  if (written === undefined) return { messages: [], losses: [] };
  const value = parsed(written);
  if (!Array.isArray(value)) {
    return { messages: [], losses: [{ channels: lost.message, reason: '`events` is cut or is not a list' }] };
  }
  const messages = value.flatMap((event) =>
    isRecord(event) ? messageOfEvent(nameOf(event['event.name']) ?? '', event) : [event],
  );
  return { messages, losses: [] };
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
function numbered(attributes: JsonObject, prefix: string): SpanMessages {
  const { parts, losses } = numberedParts(attributes, prefix);
  const messages = parts.map((field) => {
    const calls = numberedParts(field, 'tool_calls');
    const role = nameOf(field.role) ?? (prefix.endsWith('completion') ? 'assistant' : 'user');
    const content = parsed(field.content);
    return {
      role,
      content: Array.isArray(content) ? content : (field.content ?? null),
      tool_call_id: field.tool_call_id,
      finish_reason: field.finish_reason,
      ...(calls.parts.length > 0 && { tool_calls: calls.parts }),
      losses: calls.losses,
    };
  });
  return { messages, losses: [...losses, ...messages.flatMap((message) => message.losses)] };
}

export function parsed(value: unknown): unknown {
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

/**
 * The parts of a list that is written as attributes: `prefix.0.role`, `prefix.0.content`, `prefix.1.role`. Each has the
 * attributes of its number without that. A number that is missing is a loss.
 */
export function numberedParts(
  attributes: JsonObject,
  prefix: string,
): { readonly parts: readonly JsonObject[]; readonly losses: readonly Loss[] } {
  const parts = new Map<number, Record<string, unknown>>();
  for (const [name, value] of Object.entries(attributes)) {
    if (!name.startsWith(`${prefix}.`)) continue;
    const [, number, rest = ''] = /^(\d{1,6})\.(.+)$/s.exec(name.slice(prefix.length + 1)) ?? [];
    if (number === undefined) continue;
    const part = parts.get(Number(number)) ?? {};
    part[rest] = value;
    parts.set(Number(number), part);
  }
  const numbers = [...parts.keys()].sort((a, b) => a - b);
  const isWhole = numbers.every((number, index) => number === index);
  return {
    parts: numbers.map((number) => parts.get(number) ?? {}),
    losses: isWhole ? [] : [{ channels: lost.message, reason: `a part of \`${prefix}\` is missing` }],
  };
}
