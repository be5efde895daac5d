import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { Observability } from '@mastra/observability';
import { OtelExporter } from '@mastra/otel-exporter';
import * as z from 'zod';
import { description, model, putQuestions, system, weather } from './weather.mjs';

const openai = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: 'any' });
const tool = createTool({
  id: 'weather',
  description,
  inputSchema: z.object({ city: z.string() }),
  execute: async (input) => weather(input),
});
const desk = new Agent({
  id: 'weather-desk',
  name: 'weather-desk',
  instructions: system,
  model: openai.chat(model),
  tools: { weather: tool },
  maxRetries: 0,
});
const endpoint = `${process.env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`;
const headers = { authorization: process.env.WEATHER_AUTHORIZATION };
const exporter = new OtelExporter({ provider: { custom: { endpoint, headers, protocol: 'http/protobuf' } } });
const observability = new Observability({
  configs: { otel: { serviceName: process.env.OTEL_SERVICE_NAME, exporters: [exporter] } },
});
const mastra = new Mastra({ agents: { desk }, observability });

await putQuestions((question) => mastra.getAgent('desk').generate(question, { maxSteps: 5 }));
await mastra.shutdown();
