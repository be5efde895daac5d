import type { Loss } from '../../../domain/loss.ts';
import type { Message } from '../../../domain/message.ts';
import { isRecord, resemblesJson } from '../../../shared/json.ts';
import { anyContent } from '../../wire/content-blocks.ts';
import { readChatReply } from '../../wire/openai-chat/reply.ts';
import { messageCalls, readMessage } from './messages.ts';
import { messagesOf } from './wire-messages.ts';

/** The new messages of an answer in one of the usual shapes; undefined for any other. */
export function detectMessages(document: unknown, sent: readonly Message[], gaps: Loss[]): Message[] | undefined {
  if (typeof document === 'string') return [{ role: 'assistant', content: document }];
  if (Array.isArray(document)) return newMessages(document, sent, gaps);
  if (!isRecord(document)) return undefined;
  const { messages, message, content, response, reply, answer, parts } = document;
  const listed = Array.isArray(messages) ? newMessages(messages, sent, gaps) : undefined;
  if (listed) return listed;
  const chat = chatMessages(document, gaps);
  if (chat) return chat;
  // A `message` that is plain text is often a status, so it is considered last.
  const found = [
    isRecord(message) ? message : undefined,
    content,
    parts,
    response,
    textOrNone(reply),
    textOrNone(answer),
    message,
  ].find((value) => value !== undefined && value !== null);
  if (found === undefined) return messageOfCalls(document, gaps);
  const isMessage = isRecord(found) || typeof found === 'string';
  const read = assistantMessage(isMessage ? found : { content: found }, gaps);
  return read && [withCalls(read, document, gaps)];
}

/** An answer in OpenAI's format; its usage is read with that of any other answer. */
function chatMessages(document: unknown, gaps: Loss[]): Message[] | undefined {
  const chat = readChatReply(document);
  gaps.push(...(chat?.unplaced ?? []).filter(({ place }) => place !== 'usage'));
  return chat && messagesOf(chat, '');
}

/**
 * The new messages of a list. Endpoints that return the whole conversation begin with the messages that they were sent,
 * which are left out by their count; others return the messages after the user's last one, or only the new ones.
 */
export function newMessages(list: readonly unknown[], sent: readonly Message[], gaps: Loss[]): Message[] | undefined {
  const entries = list.map((value, index) => readEntry(value, `messages[${index}]`));
  const isWhole =
    entries.length > sent.length && sent.every(({ role }, index) => entries[index]?.message?.role === role);
  const start = isWhole ? sent.length : entries.findLastIndex(({ message }) => message?.role === 'user') + 1;
  const fresh = entries.slice(start);
  gaps.push(...fresh.flatMap((entry) => entry.gaps));
  const messages = fresh.flatMap(({ message }) => message ?? []);
  const answered = messages.filter(({ role }) => role === 'assistant' || role === 'tool');
  return answered.length > 0 ? answered : undefined;
}

/** A message of a list, with what could not be placed of it. */
export function readEntry(value: unknown, place: string) {
  const gaps: Loss[] = [];
  const message = typeof value === 'string' && resemblesJson(value) ? undefined : readMessage(value, gaps, place);
  if (!message) gaps.push({ channels: anyContent, reason: 'a message of the list is not an object', place });
  return { message, gaps };
}

/** A message with the calls that stand beside it in the document. */
export function withCalls(message: Message, document: unknown, gaps: Loss[]): Message {
  const calls = message.tool_calls ?? callsBeside(document, gaps);
  return calls ? { ...message, tool_calls: calls } : message;
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function callsBeside(document: unknown, gaps: Loss[]): Message['tool_calls'] {
  if (!isRecord(document)) return undefined;
  const calls = messageCalls(document.tool_calls ?? document.toolCalls, gaps);
  return calls.length > 0 ? calls : undefined;
}

function assistantMessage(value: unknown, gaps: Loss[]): Message | undefined {
  const message = readMessage(value, gaps);
  if (!message || (message.content === null && !message.tool_calls)) return undefined;
  return { ...message, role: 'assistant' };
}

function messageOfCalls(document: Record<string, unknown>, gaps: Loss[]): Message[] | undefined {
  const calls = callsBeside(document, gaps);
  return calls && [{ role: 'assistant', content: null, tool_calls: calls }];
}
