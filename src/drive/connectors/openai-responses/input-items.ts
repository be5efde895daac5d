import type { Message } from '../../../domain/message.ts';

/** Messages as Responses takes them: calls of tools and their results are items of their own. */
export function inputItems(messages: readonly Message[]): unknown[] {
  return messages.flatMap((message) => {
    if (message.role === 'tool') return [resultItem(message)];
    const calls = (message.tool_calls ?? []).map(({ id, function: called }) => ({
      type: 'function_call',
      call_id: id,
      name: called.name,
      arguments: called.arguments,
    }));
    return [...messageItems(message), ...calls];
  });
}

function resultItem({ tool_call_id: callId, content }: Message): unknown {
  const output = typeof content === 'string' ? content : JSON.stringify(content ?? '');
  return { type: 'function_call_output', call_id: callId ?? '', output };
}

function messageItems({ role, content }: Message): unknown[] {
  if (content === null || content === '') return [];
  if (typeof content === 'string') return [{ role, content }];
  const textType = role === 'assistant' ? 'output_text' : 'input_text';
  const parts = content.map((block) => (block.type === 'text' ? { type: textType, text: block.text ?? '' } : block));
  return [{ role, content: parts }];
}
