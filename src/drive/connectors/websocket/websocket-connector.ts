import * as z from 'zod';
import { defineConnector } from '../connector.ts';
import { responseSchema } from '../http/mapping-schema.ts';
import { placeholders, refuseUnknown } from '../wire/placeholders.ts';

const framePath = (what: string) =>
  z.string().startsWith('$', 'a JSONPath begins with `$`').max(4_096).optional().describe(what);

const configSchema = () =>
  z.strictObject({
    path: z.string().default('').describe('added to the base URL; may hold ${VAR}'),
    message: z
      .unknown()
      .superRefine(refuseUnknown)
      .optional()
      .describe(`frame of one turn, any JSON or text with ${placeholders}; default { "messages": "{{messages}}" }`),
    response: responseSchema().default({}).describe('JSONPaths into a frame; the usual shapes need no mapping'),
    stream: z.boolean().default(false).describe('the answer comes in several frames, each with a piece of it'),
    until: framePath('with `stream`: JSONPath that finds a value, other than false and null, in the last frame only'),
    ignore: framePath('JSONPath that finds a value in frames that do not belong to an answer, such as heartbeats'),
    greeting: z.boolean().default(false).describe('wait for a first frame of the agent before anything is sent'),
    keep: z
      .enum(['conversation', 'turn'])
      .default('conversation')
      .describe('how long a connection is kept: for the turns of a conversation, or for one turn'),
  });
export type WebsocketConfig = z.output<ReturnType<typeof configSchema>>;

export const websocketConnector = defineConnector({
  type: 'websocket',
  label: 'WebSocket endpoint',
  summary: 'an agent behind a WebSocket: one frame for each turn, the answer in one frame or in several',
  reports: ['latency'],
  configSchema,
  check: ({ stream, until }) =>
    until !== undefined && !stream ? [{ path: ['until'], message: '`until` needs `stream: true`' }] : [],
  async open(config, settings, { env }) {
    // Loaded when needed: most runs talk to no such agent.
    const { openWebsocket } = await import('./open-websocket.ts');
    return openWebsocket(config, settings, env);
  },
});
