import { resolve } from 'node:path';
import * as z from 'zod';
import { type Attachment, attachmentSchema, attachmentsOf } from '../../domain/attachment.ts';
import { reportSchema } from '../../domain/capability.ts';
import { messageSchema } from '../../domain/message.ts';
import { isRecord } from '../../shared/json.ts';
import { retryPolicySchema } from '../connectors/retry-policy.ts';
import { toolLoopSchema } from '../connectors/tool-loop/tool-loop-config.ts';
import { transformSchema } from '../connectors/transform.ts';
import { tacticNames } from './adversaries.ts';

const headers = () => z.record(z.string(), z.string());

const factsSchema = () =>
  z
    .record(z.string().min(1), z.string().min(1))
    .describe('facts by name that the user knows and reveals only when the agent asks for them');

/** The goal, facts and tools of the user of a scenario, whichever persona it has. */
export const userSchema = () =>
  z.strictObject({
    goal: z.string().min(1).optional().describe('what the user wants to get done'),
    stopWhen: z.string().min(1).optional().describe('when the user ends the conversation'),
    facts: factsSchema().optional(),
    toolLoop: toolLoopSchema().optional().describe('tools of the user itself, which Assay runs for it'),
    adversary: z
      .union([z.literal('all'), z.array(z.enum(tacticNames)).min(1)])
      .optional()
      .describe('the goal is one that the agent must not serve: ways in which users press for it, each a persona'),
  });
export type UserConfig = z.output<ReturnType<typeof userSchema>>;

/** A user who talks to the agent: played by a model, with fixed messages, or both. */
export const personaSchema = () =>
  z.strictObject({
    name: z.string().min(1).describe('name of the persona'),
    description: z.string().optional().describe('who the persona is'),
    systemPrompt: z.string().optional().describe('how to play the persona'),
    goal: z.string().optional().describe('what the persona wants to get done'),
    stopWhen: z.string().optional().describe('when the persona ends the conversation'),
    facts: factsSchema().optional(),
    toolLoop: toolLoopSchema().optional().describe('tools of the persona itself, which Assay runs for it'),
    persists: z.boolean().optional().describe('whether it cannot leave before it has got its goal'),
    messages: z.array(z.string()).default([]).describe('its first message, word for word'),
    model: z.string().optional().describe('`provider/model` that plays it'),
    headers: headers().default({}).describe('sent with every request of this persona'),
  });
export type Persona = z.output<ReturnType<typeof personaSchema>>;

/** A connector as a scenario names it; `${VAR}` in headers is expanded when it is opened. */
export const connectorSpecSchema = () =>
  z.strictObject({
    name: z.string().optional().describe('name of the connector'),
    type: z.string().min(1).describe('type of the connector, such as `http`'),
    baseUrl: z.string().optional().describe('address of the agent under test'),
    reports: z
      .array(reportSchema)
      .optional()
      .describe('facts that the agent reports beyond those of its type, such as tool-calls'),
    headers: headers().default({}).describe('headers of every request; `${VAR}` is expanded'),
    retry: retryPolicySchema()
      .optional()
      .describe('retries of requests that the agent refused with HTTP 429 or 503; on by default'),
    toolLoop: toolLoopSchema().optional().describe('tools that Assay runs for a bare model; for connectors to models'),
    transform: transformSchema()
      .optional()
      .describe(
        'JavaScript that makes the judged answer of the `output` of the agent: an expression, a function body, { module, export }, or a list of them',
      ),
    config: z.unknown().optional().describe('settings of this type of connector'),
  });

/** A connector and the folder that its paths start from, where that is not the folder of the scenario. */
const placedConnectorSchema = () =>
  connectorSpecSchema().extend({
    directory: z.string().optional().describe('folder of its relative paths, relative to that of the scenario'),
  });
export type ConnectorSpec = z.output<ReturnType<typeof placedConnectorSchema>>;

/** For checking and opening a connector: relative paths start where they were written. */
export function placeOf<Context extends { readonly directory: string }>(
  { directory = '.' }: ConnectorSpec,
  context: Context,
): Context {
  return { ...context, directory: resolve(context.directory, directory) };
}

/** A message of the user with files. */
const attachedMessageSchema = () =>
  z.strictObject({
    content: z.string(),
    attachments: z.array(attachmentSchema).describe('files sent with the message'),
  });

/** A conversation with an agent behind a connector; what names mean has been settled by the file format. */
export const conversationConfigSchema = () =>
  z.strictObject({
    connectors: z.record(z.string(), placedConnectorSchema()).describe('definitions by name'),
    personas: z.record(z.string(), personaSchema()).default({}).describe('definitions by name'),
    instructions: z.string().optional().describe('what the conversation is about, for the persona'),
    messages: z.array(messageSchema).default([]).describe('messages that begin the conversation'),
    prompts: z
      .record(z.string(), z.array(messageSchema).min(1))
      .optional()
      .describe('in place of `messages`, by the guidance of the variant; their system messages are sent to the agent'),
    userMessages: z
      .array(z.union([z.string(), attachedMessageSchema()]))
      .default([])
      .describe('messages of the user, turn by turn, word for word'),
    maxMessages: z
      .int()
      .min(1)
      .optional()
      .describe('most messages of user and assistant together; by default 10, and more for fixed messages of the user'),
  });
export type ConversationConfig = z.output<ReturnType<typeof conversationConfigSchema>>;

/** Whether Assay itself runs tools in a conversation with this config: of the agent, or of a user. */
export function hasToolLoop(config: unknown, ...of: readonly ('connectors' | 'personas')[]): boolean {
  const given = (isRecord(config) ? config : {}) as Partial<ConversationConfig>;
  const keys = of.length > 0 ? of : (['connectors', 'personas'] as const);
  return keys.some((key) => Object.values(given[key] ?? {}).some(({ toolLoop }) => toolLoop));
}

/** Attachments of a conversation, with the place of the message that each belongs to. */
export function attachmentsIn({ messages, userMessages }: Pick<ConversationConfig, 'messages' | 'userMessages'>): {
  readonly path: PropertyKey[];
  readonly attachment: Attachment;
}[] {
  const first = messages.flatMap((message, index) =>
    attachmentsOf(message).map((attachment) => ({ path: ['messages', index, 'attachments'], attachment })),
  );
  const later = userMessages.flatMap((message, index) =>
    typeof message === 'string'
      ? []
      : message.attachments.map((attachment) => ({ path: ['userMessages', index, 'attachments'], attachment })),
  );
  return [...first, ...later];
}
