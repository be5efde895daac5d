import * as z from 'zod';
import { defineConnector } from '../connector.ts';

const configSchema = () =>
  z.strictObject({
    assistantId: z.string().min(1).default('default').describe('the assistant or graph to run'),
    configurable: z.record(z.string(), z.unknown()).optional().describe('sent as `config.configurable` with each run'),
    stateless: z
      .boolean()
      .default(false)
      .describe('run without a thread: the whole conversation is sent in each turn, and nothing is kept'),
  });
export type LanggraphConfig = z.output<ReturnType<typeof configSchema>>;

/** An agent on a LangGraph server, which keeps each conversation in a thread. */
export const langgraphConnector = defineConnector({
  type: 'langgraph',
  label: 'LangGraph',
  summary: 'an agent on a LangGraph server',
  reports: ['tool-calls', 'usage', 'latency'],
  configSchema,
  async open(config, settings, { env }) {
    // Most runs talk to no such agent, and then none of this need be loaded.
    const { openLanggraph } = await import('./open-langgraph.ts');
    return openLanggraph(config, settings, env);
  },
});
