import { defineConnector } from '../connector.ts';
import { providerConfigSchema } from '../wire/provider-config.ts';

/** An agent that speaks OpenAI's Responses. */
export const openaiResponsesConnector = defineConnector({
  type: 'openai-responses',
  label: 'OpenAI responses',
  summary: "an agent or a model that speaks OpenAI's Responses, and keeps the conversation itself",
  reports: ['tool-calls', 'usage', 'latency', 'streaming'],
  configSchema: providerConfigSchema,
  async open(config, settings, context) {
    // Most runs talk to no such agent, and then none of this need be loaded.
    const { openOpenaiResponses } = await import('./open-openai-responses.ts');
    return openOpenaiResponses(config, settings, context);
  },
});
