import Anthropic from '@anthropic-ai/sdk';
import { AnthropicInstrumentation } from '@arizeai/openinference-instrumentation-anthropic';
import { inSpan, provider } from './telemetry.mjs';
import { description, model, parameters, putQuestions, system, weather } from './weather.mjs';

new AnthropicInstrumentation({ tracerProvider: provider }).manuallyInstrument(Anthropic);
const client = new Anthropic({ apiKey: 'any', maxRetries: 0 });
const tools = [{ name: 'weather', description, input_schema: parameters }];

await putQuestions((question) => inSpan('conversation', () => ask(question)));
await provider.shutdown();

async function ask(question) {
  const messages = [{ role: 'user', content: question }];
  for (;;) {
    const { content, stop_reason: reason } = await client.messages.create({
      model,
      system,
      messages,
      tools,
      max_tokens: 99,
    });
    messages.push({ role: 'assistant', content });
    if (reason !== 'tool_use') return content;
    const uses = content.filter(({ type }) => type === 'tool_use');
    messages.push({ role: 'user', content: uses.map(resultOf) });
  }
}

function resultOf({ id, input }) {
  const result = { type: 'tool_result', tool_use_id: id };
  try {
    return { ...result, content: weather(input) };
  } catch (error) {
    return { ...result, content: error.message, is_error: true };
  }
}
