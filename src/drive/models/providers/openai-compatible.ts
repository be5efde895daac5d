import { withVersionOnHost } from '../base-url.ts';
import type { Provider } from '../provider.ts';
import { isStrictSchema } from '../strict-schema.ts';

/** Any server that speaks OpenAI's chat API, under a name of the user's own. */
export const openaiCompatible: Provider = {
  name: 'openai-compatible',
  aliases: [],
  summary: 'a server that speaks the chat API of OpenAI, such as a local one',
  settingsNames: [],
  modelPrefixes: [],
  knownModels: [],
  keyVariables: [],
  baseUrlVariable: undefined,
  defaultBaseUrl: undefined,
  needsKey: false,
  priceName: undefined,
  completeBaseUrl: (baseUrl) => withVersionOnHost(baseUrl, 'v1'),
  async open(model, { name, baseUrl, apiKey, headers, fetch, config }) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const supportsStructuredOutputs = config.structuredOutputs;
    return createOpenAICompatible({ name, baseURL: baseUrl, apiKey, headers, fetch, supportsStructuredOutputs })(model);
  },
  optionsFor: ({ output }) => ({ openaiCompatible: { strictJsonSchema: isStrictSchema(output?.schema) } }),
};
