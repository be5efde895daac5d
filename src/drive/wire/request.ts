import type { Loss } from '../../domain/loss.ts';
import { isRecord } from '../../shared/json.ts';
import type { JsonObject, ReceivedRequest, WireMessage, WirePart, WireRequest, WireTool } from './codec.ts';
import { anyContent } from './content-blocks.ts';
import { contentText, textOf } from './values.ts';

/** The messages of a request; anything else in their place is a message that could not be read. */
export function messagesIn(list: unknown, place: string, unplaced: Loss[]): JsonObject[] {
  if (list === undefined) return [];
  const items: readonly unknown[] = Array.isArray(list) ? list : [undefined];
  return items.flatMap((item, index) => {
    if (isRecord(item)) return [item];
    unplaced.push({ channels: anyContent, reason: 'a message is not an object', place: `${place}[${index}]` });
    return [];
  });
}

/** True for messages that instruct the model; agents send them anywhere in a conversation. */
export function isInstruction({ role }: JsonObject): boolean {
  return role === 'system' || role === 'developer';
}

/** The system prompt, and the instructions among the messages. */
export function systemText(system: unknown, messages: readonly JsonObject[]): string {
  const instructions = messages.filter(isInstruction).map(({ content }) => contentText(content));
  return [contentText(system), ...instructions].filter((text) => text !== '').join('\n');
}

/** The system prompt, with the system messages of a conversation for APIs that have none. */
export function wholeSystem({ system, messages }: Pick<WireRequest, 'system' | 'messages'>): string {
  const inside = messages.filter(({ role }) => role === 'system').map(({ parts }) => textOf(parts));
  return [system, ...inside].filter((text) => text !== '').join('\n\n');
}

/** A turn of one side, for APIs that want user and assistant to alternate. */
interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: JsonObject[];
}

/** Messages as turns that alternate: without system messages and empty ones, results of tools in turns of the user. */
export function alternating(messages: readonly WireMessage[], write: (part: WirePart) => JsonObject[]): Turn[] {
  const turns: Turn[] = [];
  for (const { role: author, parts } of messages) {
    if (author === 'system') continue;
    const role = author === 'assistant' ? 'assistant' : 'user';
    const content = parts.flatMap(write);
    if (content.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  return turns;
}

/** The name in a demand such as `{ type: 'function', name }`; a demand for any tool means the only one there is. */
export function demandedTool(named: unknown, isAnyDemanded: boolean, tools: readonly WireTool[]): string | undefined {
  if (typeof named === 'string') return named;
  return isAnyDemanded && tools.length === 1 ? tools[0]?.name : undefined;
}

/** Everything before the model's first words, without instructions: it identifies the conversation. */
export function openingText({ messages }: Pick<ReceivedRequest, 'messages'>): string {
  const end = messages.findIndex((message) => !isGiven(message));
  const opening = end < 0 ? messages : messages.slice(0, end);
  return textsOf(opening.filter(({ role }) => role !== 'system')).join('\n');
}

/** Everything that the model reads as text, for finding instructions in it. */
export function promptText({ system, messages }: Pick<ReceivedRequest, 'system' | 'messages'>): string {
  return [system, ...textsOf(messages.filter((message) => isGiven(message) && message.role !== 'system'))].join('\n');
}

/** A message that the agent's program put together: neither the model's own words nor the result of a tool. */
function isGiven({ role }: WireMessage): boolean {
  return role === 'user' || role === 'system';
}

function textsOf(messages: readonly WireMessage[]): string[] {
  return messages.map(({ parts }) => textOf(parts, '\n'));
}
