import { defineConnector } from '../connector.ts';
import { providerConfigSchema } from '../wire/provider-config.ts';

/** An agent that speaks Anthropic's Messages. */
export const anthropicConnector = defineConnector({
  type: 'anthropic',
  label: 'Anthropic messages',
  summary: "an agent or a model that speaks Anthropic's Messages",
  reports: ['tool-calls', 'usage', 'latency', 'streaming'],
  configSchema: providerConfigSchema,
  async open(config, settings, context) {
    // Most runs talk to no such agent, and then none of this need be loaded.
    const { openAnthropic } = await import('./open-anthropic.ts');
    return openAnthropic(config, settings, context);
  },
});
