import * as z from 'zod';
import { defineConnector } from '../connector.ts';

const configSchema = () =>
  z.strictObject({
    card: z
      .string()
      .min(1)
      .default('/.well-known/agent-card.json')
      .describe('path of the agent card, added to the base URL'),
    url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('address of the JSON-RPC interface; needed if the card names one at another origin than the base URL'),
    stream: z.boolean().default(false).describe('stream the answer, to measure the time to the first token'),
    pollSecs: z
      .number()
      .min(0.05)
      .max(60)
      .default(1)
      .describe('pause between two requests for a task that the agent is still working on'),
  });
export type A2aConfig = z.output<ReturnType<typeof configSchema>>;

export const a2aConnector = defineConnector({
  type: 'a2a',
  label: 'A2A agent',
  summary: 'an agent that speaks the Agent2Agent protocol, 1.0 or 0.3, over JSON-RPC',
  reports: ['latency', 'streaming'],
  configSchema,
  async open(config, settings, context) {
    // Loaded when needed: most runs talk to no such agent, and the HTTP modules slow down a start.
    const { openA2a } = await import('./open-a2a.ts');
    return openA2a(config, settings, context);
  },
});
