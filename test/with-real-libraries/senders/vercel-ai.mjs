import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { provider } from './telemetry.mjs';
import { description, model, parameters, putQuestions, system, weather } from './weather.mjs';

const openai = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: 'any' });
const tools = { weather: tool({ description, inputSchema: jsonSchema(parameters), execute: weather }) };

await putQuestions(async (prompt) => {
  const options = {
    model: openai.chat(model),
    system,
    prompt,
    tools,
    maxRetries: 0,
    stopWhen: stepCountIs(5),
    experimental_telemetry: { isEnabled: true },
  };
  if (process.env.WEATHER_STREAMS !== 'yes') return generateText(options);
  return streamText(options).consumeStream();
});
await provider.shutdown();
