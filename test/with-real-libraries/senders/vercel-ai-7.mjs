import { createOpenAI } from '@ai-sdk/openai';
import { OpenTelemetry } from '@ai-sdk/otel';
import { generateText, isStepCount, jsonSchema, registerTelemetry, tool } from 'ai';
import { provider } from './telemetry.mjs';
import { description, model, parameters, putQuestions, system, weather } from './weather.mjs';

registerTelemetry(new OpenTelemetry());
const openai = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: 'any' });
const tools = { weather: tool({ description, inputSchema: jsonSchema(parameters), execute: weather }) };

await putQuestions((prompt) =>
  generateText({
    model: openai.chat(model),
    instructions: system,
    prompt,
    tools,
    maxRetries: 0,
    stopWhen: isStepCount(5),
  }),
);
await provider.shutdown();
