import * as z from 'zod';

/** A piece of a message: text, or something that only its kind of agent knows. */
export const contentBlockSchema = z.looseObject({ type: z.string(), text: z.string().optional() });

/** A call of a tool as OpenAI writes it; `arguments` is JSON text, and may be no JSON at all. */
export const messageToolCallSchema = z.looseObject({
  id: z.string(),
  type: z.literal('function').default('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
export type MessageToolCall = z.infer<typeof messageToolCallSchema>;

/** One message of a conversation, whatever the agent behind it speaks. */
export const messageSchema = z.looseObject({
  role: z.enum(['user', 'assistant', 'system', 'tool']),
  content: z.union([z.string(), z.array(contentBlockSchema), z.null()]),
  tool_calls: z.array(messageToolCallSchema).optional(),
  tool_call_id: z.string().optional(),
  name: z.string().optional(),
  id: z.string().optional(),
  metadata: z.unknown().optional(),
});
export type Message = z.infer<typeof messageSchema>;

/** Tokens of one answer. */
export const tokenUsageSchema = z.object({ input: z.number(), output: z.number(), total: z.number() });
export type TokenUsage = z.infer<typeof tokenUsageSchema>;

/** The text of a message: its text blocks joined; empty where it has none. */
export function messageText({ content }: Pick<Message, 'content'>): string {
  if (content === null) return '';
  if (typeof content === 'string') return content;
  return content.map((block) => block.text ?? '').join('');
}
