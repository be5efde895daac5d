import * as z from 'zod';
import { actionKindSchema } from './capability.ts';
import { toolErrorSchema } from './tool-error.ts';

/** The author's texts for the model that plays the user. */
const userBriefSchema = z.object({
  description: z.string().optional(),
  systemPrompt: z.string().optional(),
  goal: z.string().optional(),
  stopWhen: z.string().optional(),
  facts: z.record(z.string(), z.string()).optional().describe('facts that the user reveals only on request'),
  instructions: z.array(z.string()).describe('what the conversation is about'),
});

/** The user that a model plays, with its brief as it was in this trial. */
export const simulatedUserSchema = z.object({
  name: z.string(),
  model: z.string(),
  promptVersion: z.string().describe('of the prompts of the simulator'),
  brief: userBriefSchema,
  tools: z.array(z.string()).describe('names of the tools of the user'),
});

/** A call of the simulated user to a tool on its side, with the result; it is never a call of the agent. */
export const userCallSchema = z.object({
  tool: z.string(),
  server: z.string().optional().describe('the MCP server that has the tool'),
  kind: actionKindSchema,
  input: z.unknown(),
  durationMs: z.number(),
  result: z.unknown().optional(),
  error: toolErrorSchema.optional(),
});

/** Why a conversation ended. */
export const conversationEndedSchema = z.object({
  why: z
    .enum(['goal-reached', 'gave-up', 'user-done', 'no-more-messages', 'message-limit', 'decided'])
    .describe(
      'the first three as the simulated user says it; fixed messages used up; `maxMessages` reached; or an answer decided the trial',
    ),
  reason: z.string(),
});
export type ConversationEnd = z.infer<typeof conversationEndedSchema>;
