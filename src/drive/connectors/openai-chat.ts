import { openaiChat } from '../wire/openai-chat/codec.ts';
import { writeChatRequest } from '../wire/openai-chat/request.ts';
import { defineConnector } from './connector.ts';
import { mergeNeighbours, withToolResults } from './wire/messages.ts';
import { openaiApi, type ProviderProtocol, providerConfigSchema, requestOf } from './wire/provider.ts';

export const openaiChatConnector = defineConnector({
  type: 'openai-chat',
  label: 'OpenAI chat completions',
  summary: "an agent or a model that speaks OpenAI's chat completions",
  reports: ['tool-calls', 'usage', 'latency', 'streaming'],
  isRepeatable: true,
  offersTools: true,
  sendsFiles: true,
  configSchema: providerConfigSchema,
  async open(config, settings, context) {
    // Loaded when needed: most runs talk to no such agent, and the HTTP modules slow down a start.
    const { openProviderConnector } = await import('./wire/provider-connector.ts');
    const api = { ...openaiApi, type: 'openai-chat', path: 'chat/completions' };
    const protocolFor = (isProvider: boolean): ProviderProtocol => {
      const outputLimit = isProvider ? 'max_completion_tokens' : 'max_tokens';
      return {
        codec: openaiChat,
        outputLimit,
        textSeparator: '',
        bodyOf(request, model) {
          const messages = mergeNeighbours(withToolResults(request.messages));
          return writeChatRequest(requestOf({ ...request, messages }, model, config), outputLimit);
        },
      };
    };
    return openProviderConnector(api, protocolFor, config, settings, context);
  },
});
