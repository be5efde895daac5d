import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';

/** A piece of a message: text, or something that only its kind of agent knows. */
const contentBlockSchema = lazySchema(() =>
  z.looseObject({
    type: z.string().describe('kind of the block, such as `text`'),
    text: z.string().optional().describe('text of the block'),
  }),
);

/** A call of a tool as OpenAI writes it; `arguments` is JSON text, and may be no JSON at all. */
const messageToolCallSchema = lazySchema(() =>
  z.looseObject({
    id: z.string().describe('identifier of the call'),
    type: z.literal('function').default('function'),
    function: z
      .looseObject({
        name: z.string().describe('name of the tool'),
        arguments: z.string().describe('arguments as JSON text'),
      })
      .describe('the tool and its arguments'),
  }),
);
export type MessageToolCall = z.infer<typeof messageToolCallSchema>;

/** One message of a conversation, whatever the agent behind it speaks. */
export const messageSchema = lazySchema(() =>
  z.looseObject({
    role: z.enum(['user', 'assistant', 'system', 'tool']).describe('who wrote the message'),
    content: z
      .union([z.string(), z.array(contentBlockSchema), z.null()])
      .describe('text or blocks; `null` for a message that only calls tools'),
    tool_calls: z.array(messageToolCallSchema).optional().describe('tool calls of an assistant message'),
    tool_call_id: z.string().optional().describe('the call that a tool message answers'),
    name: z.string().optional().describe('name of the author or of the tool'),
    id: z.string().optional().describe('identifier of the message'),
    metadata: z.unknown().optional().describe('further data of the agent'),
  }),
);
export type Message = z.infer<typeof messageSchema>;

/** The text of a message: its text blocks joined; empty where it has none. */
export function messageText({ content }: Pick<Message, 'content'>): string {
  if (content === null) return '';
  if (typeof content === 'string') return content;
  return content.map((block) => block.text ?? '').join('');
}
