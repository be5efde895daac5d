import { defineConnector } from '../connector.ts';
import { providerConfigSchema } from '../wire/provider-config.ts';

/** An agent that speaks OpenAI's chat completions. */
export const openaiChatConnector = defineConnector({
  type: 'openai-chat',
  label: 'OpenAI chat completions',
  summary: "an agent or a model that speaks OpenAI's chat completions",
  reports: ['tool-calls', 'usage', 'latency', 'streaming'],
  configSchema: providerConfigSchema,
  async open(config, settings, context) {
    // Most runs talk to no such agent, and then none of this need be loaded.
    const { openOpenaiChat } = await import('./open-openai-chat.ts');
    return openOpenaiChat(config, settings, context);
  },
});
