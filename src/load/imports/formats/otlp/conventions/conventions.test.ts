import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readImport } from '../../../../../testing/fakes/load/read-import.ts';

/** Spans of a real library that ran against the scripted model. */
async function recorded(name: string) {
  const text = readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8');
  const { trials, problems } = await readImport(text, { name: 'spans.json' });
  expect({ problems, trials: trials.length }).toEqual({ problems: [], trials: 1 });
  const [trial] = trials;
  const trace = trial?.trace ?? [];
  const used = trace.flatMap((event) => (event.type === 'usage' ? [[event.inputTokens, event.outputTokens]] : []));
  const calls = trace.flatMap((event) =>
    event.type === 'tool-call' ? [`${event.tool} ${JSON.stringify(event.input)}`] : [],
  );
  const results = trace.flatMap((event) => (event.type === 'tool-result' ? [event.result] : []));
  const texts = trace.flatMap((event) => (event.type === 'message' ? [`${event.role}: ${event.text}`] : []));
  return { trial, used, calls, results, texts };
}

const question = 'user: What is the weather in Rome?';
const answer = 'assistant: It is sunny in Rome.';

describe('spans that were recorded from', () => {
  it.each([
    ['the Vercel AI SDK 6', 'vercel', ['system: Be short.', question, answer], [10, 4], [15, 5]],
    ['OpenAI with OpenInference', 'openinference-openai', ['system: Be short.', question, answer], [10, 4], [15, 5]],
    ['LangGraph with OpenInference', 'openinference-langgraph', [question, answer], [7, 4], [12, 5]],
    ['OpenAI with OpenLLMetry', 'traceloop-openai', ['system: Be short.', question, answer], [10, 4], [15, 5]],
  ])('%s have what the model served, once', async (_library, name, texts, ...used) => {
    const read = await recorded(name);
    expect(read).toMatchObject({ texts, used, calls: ['weather {"city":"Rome"}'], results: ['sunny'] });
    expect(read.trial).toMatchObject({ variant: { agent: 'weather-bot', model: 'test-model' } });
    expect(read.trial?.fault).toBeUndefined();
  });

  it('OpenTelemetry without messages could not be judged, by the names that were found', async () => {
    const { trial } = await recorded('otel-openai');
    expect(trial?.fault).toMatchObject({ code: 'TRACE_NOT_UNDERSTOOD', message: expect.stringContaining('gen_ai.*') });
  });
});

describe('a tool span without the id of its call', () => {
  const attributes = (values: object) =>
    Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));

  it('answers the open call of that tool', async () => {
    const kind = 'openinference.span.kind';
    const message = 'llm.output_messages.0.message';
    const asks = {
      [kind]: 'LLM',
      [`${message}.role`]: 'assistant',
      [`${message}.tool_calls.0.tool_call.function.name`]: 'weather',
      [`${message}.tool_calls.0.tool_call.function.arguments`]: '{"city":"Rome"}',
    };
    const works = { [kind]: 'TOOL', 'tool.name': 'weather', 'input.value': '{"city":"Rome"}', 'output.value': 'sunny' };
    const spans = [asks, works].map((values, index) => ({
      ...{ traceId: 't', spanId: `s${index}`, name: 'x', startTimeUnixNano: `170000000${index}000000000` },
      attributes: attributes(values),
    }));
    const { trials } = await readImport(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
    const events = trials[0]?.trace.filter(({ type }) => type.startsWith('tool-'));
    expect(events).toMatchObject([
      { type: 'tool-call', callId: 'call-1', tool: 'weather' },
      { type: 'tool-result', callId: 'call-1', result: 'sunny' },
    ]);
  });
});
