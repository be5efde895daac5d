import * as z from 'zod';
import { defineConnector } from '../connector.ts';
import { placeholderNames, unknownPlaceholders } from '../wire/placeholders.ts';

const path = (what: string) =>
  z.string().startsWith('$', 'a JSONPath begins with `$`').max(4_096).optional().describe(`JSONPath of ${what}`);

const usageSchema = () =>
  z
    .strictObject({
      input: path('the input tokens'),
      output: path('the output tokens'),
      total: path('all tokens'),
    })
    .refine(({ input, output, total }) => [input, output, total].filter((place) => place !== undefined).length > 1, {
      message: 'map at least two of `input`, `output` and `total`; the third is computed',
    });

const responseSchema = () =>
  z.strictObject({
    text: path('the text of the answer, or of each piece of a streamed answer'),
    messages: path('a list of messages'),
    toolCalls: path('the tools that the agent called'),
    usage: usageSchema().optional().describe('JSONPaths of the token counts; at least two of them'),
    costUsd: path('the cost of the answer in US dollars'),
    model: path('the model'),
    threadId: path('the id of the conversation at the endpoint; `{{threadId}}` sends it back'),
  });

const placeholders = placeholderNames.map((name) => `{{${name}}}`).join(', ');

/** Refuses unknown placeholders anywhere in a value. */
function refuseUnknown(value: unknown, context: z.core.$RefinementCtx<unknown>): void {
  for (const { path: place, name } of unknownPlaceholders(value)) {
    const message = `unknown placeholder \`{{${name}}}\`; available: ${placeholders}`;
    context.addIssue({ code: 'custom', path: place, message });
  }
}

const httpConnectorConfigSchema = () =>
  z.strictObject({
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH']).default('POST').describe('GET sends the body in the query'),
    path: z
      .string()
      .default('')
      .superRefine(refuseUnknown)
      .describe(`added to the base URL; may hold ${placeholders}, and \${VAR}`),
    body: z
      .unknown()
      .superRefine(refuseUnknown)
      .optional()
      .describe(`body of the request, any JSON with ${placeholders}; default { "messages": "{{messages}}" }`),
    response: responseSchema().default({}).describe('JSONPaths into the answer; the usual shapes need no mapping'),
    stream: z
      .enum(['none', 'sse', 'ndjson', 'text'])
      .default('none')
      .describe('form of a streamed answer: server-sent events, one JSON value per line, or plain text'),
  });
export type HttpConnectorConfig = z.output<ReturnType<typeof httpConnectorConfigSchema>>;

export const httpConnector = defineConnector({
  type: 'http',
  label: 'HTTP endpoint',
  summary: 'an agent behind any HTTP endpoint that answers with JSON or text',
  reports: ['latency'],
  configSchema: httpConnectorConfigSchema,
  async open(config, settings, { env }) {
    // Loaded when needed: most runs talk to no such agent, and the HTTP modules slow down a start.
    const { openHttp } = await import('./open-http.ts');
    return openHttp(config, settings, env);
  },
});
