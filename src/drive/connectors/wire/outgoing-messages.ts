import type { Message, MessageToolCall } from '../../../domain/message.ts';

/** Messages as they are sent: what is only for us is left out. */
export function withoutMetadata(messages: readonly Message[]): readonly Message[] {
  if (!messages.some((message) => 'metadata' in message)) return messages;
  return messages.map(({ metadata: _, ...message }) => message as Message);
}

/** One message instead of several in a row by the user, or by the assistant: providers want them to take turns. */
export function mergeNeighbours(messages: readonly Message[]): Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const before = merged.at(-1);
    if (before && canMerge(before, message)) merged[merged.length - 1] = joined(before, message);
    else merged.push(message);
  }
  return merged;
}

/**
 * The conversation with an answer to each call of a tool. Calls that the agent left to its client are not made here,
 * and providers refuse a conversation that goes on without their results.
 */
export function withToolResults(messages: readonly Message[]): Message[] {
  const answered = new Set(messages.map(({ tool_call_id: id }) => id));
  return messages.flatMap((message) => [
    message,
    ...(message.tool_calls ?? []).filter(({ id }) => !answered.has(id)).map(notRun),
  ]);
}

function notRun({ id, function: { name } }: MessageToolCall): Message {
  return { role: 'tool', tool_call_id: id, name, content: 'This tool was not run.' };
}

function canMerge(before: Message, after: Message): boolean {
  if (before.role !== after.role || before.tool_calls) return false;
  return before.role === 'user' || before.role === 'assistant';
}

function joined(before: Message, after: Message): Message {
  const calls = after.tool_calls ? { tool_calls: after.tool_calls } : {};
  return { role: before.role, content: joinedContent(before.content, after.content), ...calls };
}

function joinedContent(before: Message['content'], after: Message['content']): Message['content'] {
  if (before === null || after === null) return before ?? after;
  if (typeof before === 'string' && typeof after === 'string') return `${before}\n\n${after}`;
  return [...blocksOf(before), ...blocksOf(after)];
}

/** Content as blocks. */
export function blocksOf(content: Message['content']): Exclude<Message['content'], string | null> {
  if (content === null || content === '') return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
