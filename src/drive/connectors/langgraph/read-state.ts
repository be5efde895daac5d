import type { Message, TokenUsage } from '../../../domain/message.ts';
import { isRecord } from '../../../shared/json.ts';
import { asText, readMessage } from '../wire/read-message.ts';
import { addUsage, readUsage } from '../wire/token-usage.ts';

/** What is new in the state of a graph after a run. */
export interface ReadState {
  readonly messages: readonly Message[];
  readonly tokenUsage: TokenUsage | undefined;
  readonly model: string | undefined;
  readonly threadId: string | undefined;
  /** Of all messages in the state. */
  readonly ids: readonly string[];
}

interface StateMessage {
  readonly fields: Record<string, unknown>;
  readonly message: Message;
}

/** Reads the messages that are not known yet; undefined where there are none, and the graph asks for nothing. */
export function readState(document: unknown, seen: ReadonlySet<string>): ReadState | undefined {
  if (!isRecord(document)) return undefined;
  const all = (Array.isArray(document.messages) ? document.messages : []).filter(isRecord).flatMap(readStateMessage);
  const fresh = newIn(all, seen).filter(({ message: { role } }) => role === 'assistant' || role === 'tool');
  const messages = fresh.map(({ message }) => message);
  if (!messages.some(({ role }) => role === 'assistant')) messages.push(...questionsIn(document.__interrupt__));
  if (messages.length === 0) return undefined;
  const said = fresh.filter(({ message }) => message.role === 'assistant');
  return {
    messages,
    tokenUsage: said.reduce<TokenUsage | undefined>((sum, { fields }) => addUsage(sum, usageOf(fields)), undefined),
    model: said.map(({ fields }) => modelOf(fields)).findLast((model) => model !== undefined),
    threadId: typeof document.thread_id === 'string' ? document.thread_id : undefined,
    ids: all.flatMap(({ message: { id } }) => (id === undefined ? [] : [id])),
  };
}

function readStateMessage(fields: Record<string, unknown>): StateMessage[] {
  const message = readMessage(fields);
  return message ? [{ fields, message }] : [];
}

/** By id; messages without one are new when they stand after the user's last words. */
function newIn(all: readonly StateMessage[], seen: ReadonlySet<string>): StateMessage[] {
  const lastSaid = all.findLastIndex(({ message }) => message.role === 'user');
  return all.filter(({ message: { id } }, index) => (id === undefined ? index > lastSaid : !seen.has(id)));
}

/** A graph that waits for a human has said what it wants to know. */
function questionsIn(interrupts: unknown): Message[] {
  const list = Array.isArray(interrupts) ? interrupts.filter(isRecord) : [];
  return list.map(({ value }) => ({ role: 'assistant', content: asText(value) }));
}

function usageOf({ usage_metadata: usage }: Record<string, unknown>): TokenUsage | undefined {
  return readUsage(usage);
}

function modelOf({ response_metadata: metadata }: Record<string, unknown>): string | undefined {
  const named = isRecord(metadata) ? (metadata.model_name ?? metadata.model) : undefined;
  return typeof named === 'string' ? named : undefined;
}
