import { anthropicMessages } from '../wire/anthropic-messages/codec.ts';
import { defineConnector } from './connector.ts';
import { withToolResults } from './wire/messages.ts';
import { type ProviderApi, type ProviderProtocol, providerConfigSchema, requestOf } from './wire/provider.ts';

const api: ProviderApi = {
  type: 'anthropic',
  provider: 'anthropic',
  path: 'messages',
  defaultBaseUrl: 'https://api.anthropic.com/v1',
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  keyVariable: 'ANTHROPIC_API_KEY',
  authHeaders: ['x-api-key', 'authorization'],
  keyHeaders: (key) => ({ 'x-api-key': key }),
  completeBaseUrl: (baseUrl) => (/\/v\d+$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1`),
};

export const anthropicConnector = defineConnector({
  type: 'anthropic',
  label: 'Anthropic messages',
  summary: "an agent or a model that speaks Anthropic's Messages",
  reports: ['tool-calls', 'usage', 'latency', 'streaming'],
  isRepeatable: true,
  offersTools: true,
  sendsFiles: true,
  configSchema: providerConfigSchema,
  async open(config, settings, context) {
    // Loaded when needed: most runs talk to no such agent, and the HTTP modules slow down a start.
    const { openProviderConnector } = await import('./wire/provider-connector.ts');
    const headers = { 'anthropic-version': '2023-06-01', ...settings.headers };
    const protocol: ProviderProtocol = {
      codec: anthropicMessages,
      outputLimit: 'max_tokens',
      textSeparator: '',
      bodyOf(request, model) {
        const messages = withToolResults(request.messages);
        return anthropicMessages.writeRequest(requestOf({ ...request, messages }, model, config));
      },
    };
    return openProviderConnector(api, () => protocol, config, { ...settings, headers }, context);
  },
});
