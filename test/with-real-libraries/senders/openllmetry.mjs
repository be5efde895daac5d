import * as traceloop from '@traceloop/node-server-sdk';
import OpenAI from 'openai';
import { askOpenAi } from './chat-completions.mjs';
import { putQuestions } from './weather.mjs';

traceloop.initialize({
  appName: process.env.OTEL_SERVICE_NAME,
  baseUrl: process.env.OTEL_EXPORTER_OTLP_ENDPOINT,
  headers: { authorization: process.env.WEATHER_AUTHORIZATION },
  instrumentModules: { openAI: OpenAI },
  silenceInitializationMessage: true,
});
const client = new OpenAI({ apiKey: 'any', maxRetries: 0 });

await putQuestions((question) => traceloop.withWorkflow({ name: 'conversation' }, () => askOpenAi(client, question)));
await traceloop.forceFlush();
