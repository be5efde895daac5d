import * as z from 'zod';
import { defineConnector } from '../connector.ts';
import { placeholders, refuseUnknown } from '../wire/placeholders.ts';
import { responseSchema } from './mapping-schema.ts';

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
  async open(config, settings, context) {
    // Loaded when needed: most runs talk to no such agent, and the HTTP modules slow down a start.
    const { openHttp } = await import('./open-http.ts');
    return openHttp(config, settings, context);
  },
});
