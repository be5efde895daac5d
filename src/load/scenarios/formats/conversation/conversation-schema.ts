import * as z from 'zod';
import { approvalsSectionSchema } from '../../../../domain/approval-policy.ts';
import { attackSectionSchema } from '../../../../domain/attacks/attack-suite.ts';
import { messageSchema } from '../../../../domain/message.ts';
import { faultsSectionSchema } from '../../../../domain/tool-control/faults.ts';
import { toolsSectionSchema } from '../../../../domain/tool-control/mocks.ts';
import { replaySectionSchema } from '../../../../domain/tool-control/replay.ts';
import { connectorSpecSchema, personaSchema, userSchema } from '../../../../drive/conversation/conversation-config.ts';
import { isRecord } from '../../../../shared/json.ts';
import type { DataPath } from '../../../sources/parsed-source.ts';
import { datasetSectionSchema } from '../../datasets/dataset-schema.ts';
import { ciSectionSchema } from '../ci-section.ts';
import { judgeSectionSchema } from '../judge-section.ts';
import { orText, sourceSectionSchema, workerSectionSchema } from '../schema-parts.ts';

/** Further fields of a data folder. */
const kept = {
  id: z.union([z.string(), z.number()]).optional().describe('identifier in a data folder'),
  projectId: z.unknown().optional().describe('accepted and ignored'),
  createdAt: z.unknown().optional().describe('accepted and ignored'),
  updatedAt: z.unknown().optional().describe('accepted and ignored'),
};

const oneOrMore = orText((text) => [text], z.array(z.string().min(1)).min(1));
const attachments = oneOrMore
  .optional()
  .describe('files of the project that are sent with the message, relative to the scenario file');
const attachedMessage = z.strictObject({ content: z.string().min(1).describe('text of the message'), attachments });
const ids = z.array(z.union([z.string().min(1), z.number()]));

/** A connector as a file or a config writes it. */
export const connectorSectionSchema = z.strictObject({
  ...kept,
  ...connectorSpecSchema().shape,
  baseUrl: z.string().min(1).optional().describe('${VAR} is expanded'),
});

/** A persona as a file or a config writes it; its name may also be its key. */
export const personaSectionSchema = z.strictObject({
  ...kept,
  ...personaSchema().shape,
  name: z.string().min(1).optional(),
  messages: orText((text) => [text], z.array(z.string().min(1)).default([])),
  imageUrl: z.unknown().optional(),
});

/** A set of scenarios that run with one connector. */
export const evalSectionSchema = z.strictObject({
  ...kept,
  name: z.string().min(1),
  scenarioIds: ids,
  connectorId: z.union([z.string(), z.number()]).optional(),
});
export type EvalSection = z.output<typeof evalSectionSchema>;

/** The schema of a conversation; sections with several notations are checked when they are read. */
export const conversationSchema = z.strictObject({
  ...kept,
  $schema: z.string().optional(),
  name: z.string().min(1).describe('name of the scenario'),
  description: z.string().optional().describe('what the scenario is for'),
  instructions: z.string().optional().describe('instructions for the simulated user'),
  messages: z
    .array(z.looseObject({ ...messageSchema.shape, attachments }))
    .default([])
    .describe('messages that begin the conversation'),
  prompts: z
    .record(z.string().min(1), z.array(messageSchema).min(1))
    .optional()
    .describe('messages that begin the conversation, by the name of a variant; system messages are sent to the agent'),
  userMessages: orText((text) => [text], z.array(z.union([z.string().min(1), attachedMessage])).min(1))
    .default([])
    .describe('messages of the user, turn by turn, word for word: text, or { content, attachments }'),
  maxMessages: z
    .int()
    .min(1)
    .optional()
    .describe(
      'limit for the messages of user and assistant together; by default 10, and more where `userMessages` need it',
    ),
  successCriteria: oneOrMore.optional().describe('what must happen, in plain words; a model judges it'),
  failureCriteria: oneOrMore.optional().describe('what must not happen, in plain words; a model judges it'),
  failureCriteriaMode: z
    .enum(['every_turn', 'on_max_messages'])
    .optional()
    .describe('when a failure counts: after every turn or at the end'),
  evaluators: z.array(z.unknown()).default([]).describe('assertions and metrics: { type, config, when, turn }'),
  connector: z.unknown().optional().describe('a name, an address, or { type, baseUrl, headers, config }'),
  connectors: z.unknown().optional().describe('connectors by name; without `connector` each of them is a variant'),
  connectorId: z.union([z.string(), z.number()]).optional().describe('id of a connector in connectors.json'),
  persona: z.unknown().optional().describe('a name, a file, or { name, description, systemPrompt, goal, … }'),
  personas: z.unknown().optional().describe('personas by name, or a list or a file of them; each is a variant'),
  personaIds: ids.optional().describe('ids of personas in personas.json'),
  user: userSchema()
    .optional()
    .describe(
      'brief of the simulated user in this scenario: its goal, facts that it reveals only on request, its tools',
    ),
  model: z.string().min(1).optional().describe('model that the connector requests'),
  models: oneOrMore.optional().describe('models that the connector requests, one variant each'),
  dataset: datasetSectionSchema.optional().describe('file with the values of `{{name}}` templates, one case per row'),
  judge: judgeSectionSchema.optional().describe('verdict of a judge model'),
  tools: toolsSectionSchema,
  faults: faultsSectionSchema('model'),
  approvals: approvalsSectionSchema,
  replay: replaySectionSchema,
  attack: attackSectionSchema,
  repeat: z.int().min(1).max(10_000).default(1).describe('trials of each case'),
  tags: z.array(z.string().min(1)).default([]).describe('labels that `--tags` selects by'),
  tier: z.int().min(0).default(0).describe('0 smoke, 1 quick, 2 standard, 3 comprehensive'),
  timeoutSecs: z.number().positive().max(86_400).optional().describe('time limit for one trial, in seconds'),
  ci: ciSectionSchema,
  worker: workerSectionSchema,
  source: sourceSectionSchema,
});
export type ConversationFile = z.output<typeof conversationSchema>;

/** Keys that decide whether a conversation passes. */
export const decidingKeys = [
  'evaluators',
  'successCriteria',
  'failureCriteria',
  'failureCriteriaMode',
  'judge',
  'tools',
  'faults',
  'replay',
  'attack',
  'approvals',
] as const;

/** Other programs add their own keys only at the top of a scenario. */
export function isTopLevel(path: DataPath): boolean {
  return path.length === 0;
}

/** Texts that a form stores as empty. */
const emptyTexts = new Set(['instructions', 'successCriteria', 'failureCriteria', 'description']);

/** Data without empty keys at the top level: an empty value counts as missing. */
export function withoutUnset(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const isSet = ([key, part]: [string, unknown]): boolean =>
    part !== null && !(emptyTexts.has(key) && typeof part === 'string' && part.trim() === '');
  return Object.fromEntries(Object.entries(value).filter(isSet));
}
