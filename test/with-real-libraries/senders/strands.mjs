import { Agent, FunctionTool } from '@strands-agents/sdk';
import { OpenAIModel } from '@strands-agents/sdk/models/openai';
import { provider } from './telemetry.mjs';
import { description, model, parameters, putQuestions, system, weather } from './weather.mjs';

const tool = new FunctionTool({
  name: 'weather',
  description,
  inputSchema: parameters,
  callback: async (input) => weather(input),
});
const clientConfig = { baseURL: process.env.OPENAI_BASE_URL, maxRetries: 0 };

await putQuestions((question) => {
  const openai = new OpenAIModel({ api: 'chat', modelId: model, apiKey: 'any', clientConfig });
  const agent = new Agent({
    name: 'weather-bot',
    model: openai,
    tools: [tool],
    systemPrompt: system,
    printer: false,
    retryStrategy: null,
  });
  return agent.invoke(question);
});
await provider.shutdown();
