import * as z from 'zod';
import { defineConnector } from '../connector.ts';
import { placeholderNames, unknownPlaceholders } from './placeholders.ts';

const path = (what: string) =>
  z.string().startsWith('$', 'a JSONPath begins with `$`').max(4_096).optional().describe(`JSONPath of ${what}`);

const usageSchema = () =>
  z
    .strictObject({
      input: path('the tokens that went in'),
      output: path('the tokens that came out'),
      total: path('all tokens'),
    })
    .refine(({ input, output, total }) => [input, output, total].filter((place) => place !== undefined).length > 1, {
      message: 'map at least two of `input`, `output` and `total`: the third follows from them',
    });

const responseSchema = () =>
  z.strictObject({
    text: path('what the agent says; of each piece, when the answer comes in pieces'),
    messages: path('a list of messages'),
    toolCalls: path('the tools that the agent called'),
    usage: usageSchema().optional().describe('JSONPaths of the token counts; at least two of them'),
    costUsd: path('what the answer cost, in US dollars'),
    model: path('the model that answered'),
    threadId: path('the id of the conversation at the endpoint; `{{threadId}}` sends it back'),
  });

const placeholders = placeholderNames.map((name) => `{{${name}}}`).join(', ');

/** Refuses placeholders that nothing is put in for, anywhere in a value. */
function refuseUnknown(value: unknown, context: z.core.$RefinementCtx<unknown>): void {
  for (const { path: place, name } of unknownPlaceholders(value)) {
    const message = `unknown placeholder \`{{${name}}}\`; there are ${placeholders}`;
    context.addIssue({ code: 'custom', path: place, message });
  }
}

/** How to talk to an HTTP endpoint. */
export const httpConnectorConfigSchema = () =>
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
      .describe(`what is sent, any JSON with ${placeholders}; { "messages": "{{messages}}" } unless given`),
    response: responseSchema().default({}).describe('where things are in the answer; the usual shapes need no mapping'),
    stream: z
      .enum(['none', 'sse', 'ndjson', 'text'])
      .default('none')
      .describe(
        'in which form the answer comes piece by piece: server-sent events, a JSON value a line, or plain text',
      ),
  });
export type HttpConnectorConfig = z.output<ReturnType<typeof httpConnectorConfigSchema>>;

/** An agent behind any JSON endpoint. */
export const httpConnector = defineConnector({
  type: 'http',
  label: 'HTTP endpoint',
  summary: 'an agent behind any HTTP endpoint that answers with JSON or text',
  reports: ['latency'],
  configSchema: httpConnectorConfigSchema,
  async open(config, settings, { env }) {
    // Loaded here: the HTTP and TLS modules cost a start that most scenarios do not need.
    const { openHttp } = await import('./open-http.ts');
    return openHttp(config, settings, env);
  },
});
