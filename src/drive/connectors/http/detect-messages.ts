import type { Message } from '../../../domain/message.ts';
import { isRecord } from '../../../shared/json.ts';
import { readChatCompletion } from '../wire/read-chat-completion.ts';
import { readMessage } from '../wire/read-message.ts';
import { readToolCalls } from '../wire/read-tool-calls.ts';

/** The new messages of an answer in one of the usual shapes; undefined for any other. */
export function detectMessages(document: unknown, asked: readonly Message[]): Message[] | undefined {
  if (typeof document === 'string') return [{ role: 'assistant', content: document }];
  if (Array.isArray(document)) return newMessages(document, asked);
  if (!isRecord(document)) return undefined;
  const { messages, message, content, response, reply, answer, parts } = document;
  const listed = Array.isArray(messages) ? newMessages(messages, asked) : undefined;
  if (listed) return listed;
  const chat = readChatCompletion(document);
  if (chat) return [...chat.messages];
  // A message that is mere text is often a word on how it went, so it is looked at last.
  const said = [
    isRecord(message) ? message : undefined,
    content,
    parts,
    response,
    textOrNone(reply),
    textOrNone(answer),
    message,
  ].find((value) => value !== undefined && value !== null);
  if (said === undefined) return calledOnly(document);
  const read = isRecord(said) ? spoken(said) : spoken({ content: said });
  return read && [withCalls(read, document)];
}

/**
 * What is new in a list of messages. Endpoints that give the whole conversation begin with what they were sent, which
 * is left out by its count; others give what came after the user's last words, or only that.
 */
export function newMessages(list: readonly unknown[], asked: readonly Message[]): Message[] | undefined {
  const messages = list.map(readMessage).filter((message) => message !== undefined);
  const isWhole = messages.length > asked.length && asked.every(({ role }, index) => messages[index]?.role === role);
  const start = isWhole ? asked.length : messages.findLastIndex(({ role }) => role === 'user') + 1;
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

function spoken(value: Record<string, unknown>): Message | undefined {
  const message = readMessage(value);
  if (!message || (message.content === null && !message.tool_calls)) return undefined;
  return { ...message, role: 'assistant' };
}

function calledOnly(document: Record<string, unknown>): Message[] | undefined {
  const calls = callsBeside(document);
  return calls && [{ role: 'assistant', content: null, tool_calls: calls }];
}
