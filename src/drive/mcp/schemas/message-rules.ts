import {
  CallToolResultSchema,
  CompleteResultSchema,
  ContentBlockSchema,
  CreateMessageRequestSchema,
  DiscoverResultSchema,
  ElicitationCompleteNotificationSchema,
  ElicitRequestFormParamsSchema,
  ElicitRequestSchema,
  ElicitRequestURLParamsSchema,
  EmptyResultSchema,
  GetPromptResultSchema,
  InitializeResultSchema,
  JSONRPCErrorResponseSchema,
  JSONRPCNotificationSchema,
  JSONRPCRequestSchema,
  JSONRPCResultResponseSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListRootsRequestSchema,
  ListToolsResultSchema,
  LoggingMessageNotificationSchema,
  ProgressNotificationSchema,
  PromptListChangedNotificationSchema,
  ReadResourceResultSchema,
  RequestMetaSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ServerCapabilitiesSchema,
  ToolListChangedNotificationSchema,
  ToolSchema,
} from '@modelcontextprotocol/core';
import * as z from 'zod';
import type { Era } from '../session.ts';
import { type Refusal, refusalOf } from './refusal.ts';

type Message = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, z.ZodType>>;

/** The rules by which official clients refuse messages of a server; undefined for a message that they take. */
export interface MessageRules {
  /** The JSON-RPC around a message. */
  envelope(message: Message): Refusal | undefined;
  /** The result of a request, whose `resultType` is looked at elsewhere. */
  result(era: Era, method: string, result: Message): Refusal | undefined;
  notification(method: string, params: unknown): Refusal | undefined;
  /** A request to the client, sent by itself or as needed input. */
  request(era: Era, method: string, params: unknown): Refusal | undefined;
}

/** The official schemas are those of all versions; the differences of the versions follow the official client. */
const objectSchema = ToolSchema.shape.inputSchema;
const legacyTool = ToolSchema.extend({ outputSchema: objectSchema.optional() });
const modernTool = ToolSchema.omit({ execution: true }).extend({
  inputSchema: z.looseObject({ $schema: z.string().optional(), type: z.literal('object') }),
});
const legacyCall = CallToolResultSchema.extend({ structuredContent: z.record(z.string(), z.unknown()).optional() });

const legacyResults: Schemas = withOldMeta({
  initialize: InitializeResultSchema,
  ping: EmptyResultSchema,
  'completion/complete': CompleteResultSchema,
  'logging/setLevel': EmptyResultSchema,
  'prompts/get': GetPromptResultSchema,
  'prompts/list': ListPromptsResultSchema,
  'resources/list': ListResourcesResultSchema,
  'resources/templates/list': ListResourceTemplatesResultSchema,
  'resources/read': ReadResourceResultSchema,
  'resources/subscribe': EmptyResultSchema,
  'resources/unsubscribe': EmptyResultSchema,
  'tasks/result': legacyCall,
  'tools/call': legacyCall,
  'tools/list': ListToolsResultSchema.extend({ tools: z.array(legacyTool) }),
});

function withOldMeta(schemas: Readonly<Record<string, z.ZodObject>>): Schemas {
  const _meta = RequestMetaSchema.optional();
  return Object.fromEntries(Object.entries(schemas).map(([method, schema]) => [method, schema.extend({ _meta })]));
}

/** How long a result may be kept, which results that can be kept must say. */
const cached = { ttlMs: z.int().min(0), cacheScope: z.enum(['public', 'private']) };

const modernResults: Schemas = {
  'completion/complete': CompleteResultSchema,
  'prompts/get': GetPromptResultSchema,
  'prompts/list': ListPromptsResultSchema.extend(cached),
  'resources/list': ListResourcesResultSchema.extend(cached),
  'resources/templates/list': ListResourceTemplatesResultSchema.extend(cached),
  'resources/read': ReadResourceResultSchema.extend(cached),
  'server/discover': DiscoverResultSchema.extend({ capabilities: ServerCapabilitiesSchema.omit({ tasks: true }) }),
  'tools/call': CallToolResultSchema.extend({ content: z.array(ContentBlockSchema) }),
  'tools/list': ListToolsResultSchema.extend({ ...cached, tools: z.array(modernTool) }),
};

const notifications: Schemas = {
  'notifications/progress': ProgressNotificationSchema,
  'notifications/message': LoggingMessageNotificationSchema,
  'notifications/resources/updated': ResourceUpdatedNotificationSchema,
  'notifications/resources/list_changed': ResourceListChangedNotificationSchema,
  'notifications/tools/list_changed': ToolListChangedNotificationSchema,
  'notifications/prompts/list_changed': PromptListChangedNotificationSchema,
  'notifications/elicitation/complete': ElicitationCompleteNotificationSchema,
};

const legacyRequests: Schemas = {
  'sampling/createMessage': CreateMessageRequestSchema,
  'elicitation/create': ElicitRequestSchema,
  'roots/list': ListRootsRequestSchema,
};

const modernRequests: Schemas = {
  ...legacyRequests,
  'elicitation/create': ElicitRequestSchema.extend({
    params: z.union([ElicitRequestFormParamsSchema, ElicitRequestURLParamsSchema.omit({ elicitationId: true })]),
  }),
};

/** The results that are looked at, by era and method. */
export const resultSchemas: Readonly<Record<Era, Schemas>> = { legacy: legacyResults, modern: modernResults };
const requests = { legacy: legacyRequests, modern: modernRequests };

/** The rules of the official clients, by their schemas. */
export const officialRules: MessageRules = {
  envelope: (message) => found(envelopeOf(message), message, 'message'),
  result: (era, method, { resultType: _, ...result }) => found(resultSchemas[era][method], result, 'result'),
  notification: (method, params) => found(notifications[method], { method, params }, 'message'),
  request: (era, method, params) => found(requests[era][method], { method, params }, 'message'),
};

/** The one form that the message can have: trying all would cost more than the rest. */
function envelopeOf(message: Message): z.ZodType {
  if ('method' in message) return 'id' in message ? JSONRPCRequestSchema : JSONRPCNotificationSchema;
  return 'error' in message ? JSONRPCErrorResponseSchema : JSONRPCResultResponseSchema;
}

function found(schema: z.ZodType | undefined, value: unknown, within: string): Refusal | undefined {
  const read = schema?.safeParse(value);
  return read === undefined || read.success ? undefined : refusalOf(read.error, within);
}
