import { type Message, type MessageToolCall, messageText } from '../../../domain/message.ts';
import { isRecord } from '../../../shared/json.ts';
import { blocksOf, withToolResults } from '../wire/outgoing-messages.ts';
import { parseJson } from '../wire/parse-json.ts';

interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string | unknown[];
}

/**
 * A conversation as Anthropic wants it: without system messages, results of tools as the user's, and nobody twice in a
 * row.
 */
export function anthropicMessages(messages: readonly Message[]): WireMessage[] {
  const merged: { role: WireMessage['role']; content: unknown[] }[] = [];
  for (const message of withToolResults(messages)) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = wireBlocks(message);
    // An empty message is refused, and says nothing.
    if (blocks.length === 0) continue;
    const before = merged.at(-1);
    if (before?.role === role) before.content.push(...blocks);
    else merged.push({ role, content: blocks });
  }
  return merged.map(({ role, content }) => ({ role, content: onlyText(content) ?? content }));
}

function wireBlocks(message: Message): unknown[] {
  if (message.role === 'tool') {
    return [{ type: 'tool_result', tool_use_id: message.tool_call_id ?? '', content: messageText(message) }];
  }
  const calls = message.tool_calls ?? [];
  const isCall = (block: unknown): boolean => isRecord(block) && block.type === 'tool_use';
  const content = blocksOf(message.content).filter(
    (block) => !(calls.length > 0 && isCall(block)) && !(block.type === 'text' && !block.text),
  );
  return [...content, ...calls.map(toolUse)];
}

/** Anthropic takes nothing but objects as input; arguments that are none are handed back as text. */
function toolUse({ id, function: { name, arguments: text } }: MessageToolCall): unknown {
  const input = parseJson(text);
  return { type: 'tool_use', id, name, input: isRecord(input) ? input : { arguments: text } };
}

function onlyText(blocks: readonly unknown[]): string | undefined {
  const [first] = blocks;
  return blocks.length === 1 && isRecord(first) && first.type === 'text' && typeof first.text === 'string'
    ? first.text
    : undefined;
}
