import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import OpenAI from 'openai';
import { askOpenAi } from './chat-completions.mjs';
import { inSpan, provider } from './telemetry.mjs';
import { putQuestions } from './weather.mjs';

new OpenAIInstrumentation({ tracerProvider: provider }).manuallyInstrument(OpenAI);
const client = new OpenAI({ apiKey: 'any', maxRetries: 0 });

await putQuestions((question) => inSpan('conversation', () => askOpenAi(client, question)));
await provider.shutdown();
