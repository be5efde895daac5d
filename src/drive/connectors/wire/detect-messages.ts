import type { Message } from '../../../domain/message.ts';
import { isRecord } from '../../../shared/json.ts';
import { readChatCompletion } from './chat-completions.ts';
import { readMessage, readToolCalls } from './messages.ts';

/** The new messages of an answer in one of the usual shapes; undefined for any other. */
export function detectMessages(document: unknown, sent: readonly Message[]): Message[] | undefined {
  if (typeof document === 'string') return [{ role: 'assistant', content: document }];
  if (Array.isArray(document)) return newMessages(document, sent);
  if (!isRecord(document)) return undefined;
  const { messages, message, content, response, reply, answer, parts } = document;
  const listed = Array.isArray(messages) ? newMessages(messages, sent) : undefined;
  if (listed) return listed;
  const chat = readChatCompletion(document);
  if (chat) return [...chat.messages];
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
  if (found === undefined) return messageOfCalls(document);
  const read = isRecord(found) ? assistantMessage(found) : assistantMessage({ content: found });
  return read && [withCalls(read, document)];
}

/**
 * The new messages of a list. Endpoints that return the whole conversation begin with the messages that they were sent,
 * which are left out by their count; others return the messages after the user's last one, or only the new ones.
 */
export function newMessages(list: readonly unknown[], sent: readonly Message[]): Message[] | undefined {
  const messages = list.map(readMessage).filter((message) => message !== undefined);
  const isWhole = messages.length > sent.length && sent.every(({ role }, index) => messages[index]?.role === role);
  const start = isWhole ? sent.length : messages.findLastIndex(({ role }) => role === 'user') + 1;
  const fresh = messages.slice(start).filter(({ role }) => role === 'assistant' || role === 'tool');
  return fresh.length > 0 ? fresh : undefined;
}

/** A message with the calls that stand beside it in the document. */
export function withCalls(message: Message, document: unknown): Message {
  const calls = message.tool_calls ?? callsBeside(document);
  return calls ? { ...message, tool_calls: calls } : message;
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function callsBeside(document: unknown): Message['tool_calls'] {
  if (!isRecord(document)) return undefined;
  return readToolCalls(document.tool_calls) ?? readToolCalls(document.toolCalls);
}

function assistantMessage(value: Record<string, unknown>): Message | undefined {
  const message = readMessage(value);
  if (!message || (message.content === null && !message.tool_calls)) return undefined;
  return { ...message, role: 'assistant' };
}

function messageOfCalls(document: Record<string, unknown>): Message[] | undefined {
  const calls = callsBeside(document);
  return calls && [{ role: 'assistant', content: null, tool_calls: calls }];
}
