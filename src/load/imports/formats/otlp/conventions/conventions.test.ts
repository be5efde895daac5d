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

/** The gaps in the spans of Strands Agents, of which a text is another one. */
async function gapsOfStrands(before: string, after: string) {
  const text = readFileSync(new URL('../fixtures/strands.json', import.meta.url), 'utf8');
  const quoted = (part: string): string => (part.startsWith('[') ? JSON.stringify(part).slice(1, -1) : part);
  const { trials } = await readImport(text.replaceAll(quoted(before), quoted(after)), { name: 'spans.json' });
  return trials.flatMap(({ trace }) => trace.filter(({ type }) => type === 'gap'));
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

  const cities = [
    'user: Weather in Rome and Oslo?',
    'assistant: Two cities.',
    'assistant: Sunny in Rome, rainy in Oslo.',
  ];

  it.each([
    ['the Vercel AI SDK 7, where the span around the requests has all messages', 'vercel-7', true],
    ['Anthropic with OpenInference, where the client sends its own spans too', 'openinference-anthropic', true],
    ['OpenAI with OpenLLMetry, where only answers have a reason for their end', 'openllmetry', true],
    ['Mastra, where the input of a step has earlier calls by the names of their tools alone', 'mastra', true],
    ['the OpenAI Agents SDK, where spans of tools name no call', 'openai-agents', false],
  ])('%s have two calls, their results and tokens once', async (_library, name, hasSystem) => {
    const read = await recorded(name);
    expect(read).toMatchObject({
      texts: [...(hasSystem ? ['system: Be short.'] : []), ...cities],
      used: [
        [24, 8],
        [52, 9],
      ],
      calls: ['weather {"city":"Rome"}', 'weather {"city":"Oslo"}'],
      results: ['sunny', 'rainy'],
    });
    expect(read.trial?.fault).toBeUndefined();
  });

  it('Strands Agents have the blocks of Bedrock as messages, and the error of a tool', async () => {
    const { trial, texts, used, calls } = await recorded('strands');
    expect({ texts, used, calls }).toEqual({
      texts: ['system: Be short.', 'user: Weather in Atlantis?', 'assistant: There is no such city.'],
      used: [
        [22, 5],
        [41, 6],
      ],
      calls: ['weather {"city":"Atlantis"}'],
    });
    expect(trial?.trace.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { callId: 'call_000001_1', error: { message: 'no such city: Atlantis' } },
    ]);
  });

  const answerBlocks = '[{"text":"There is no such city."}]';

  it.each([
    ['text that is cut', '[{"text":"There is no su'],
    ['a block of an unknown kind', '[{"hologram":"There"}]'],
    ['a block that is not an object', '[7]'],
  ])('Strands Agents have a gap for %s', async (_, cut) => {
    expect(await gapsOfStrands(answerBlocks, cut)).toContainEqual(
      expect.objectContaining({ channels: expect.arrayContaining(['answers']) }),
    );
  });

  it('Strands Agents have no gap in what was recorded, and one for arguments that are cut', async () => {
    expect(await gapsOfStrands('', '')).toEqual([]);
    const [gap] = await gapsOfStrands(
      '"stringValue": "{\\"city\\":\\"Atlantis\\"}"',
      '"stringValue": "{\\"city\\":\\"Atl"',
    );
    expect(gap).toMatchObject({ channels: expect.arrayContaining(['tool-calls']) });
  });

  it('Claude Code have the prompt, the tools with their results or errors, and the tokens', async () => {
    const worked = await recorded('claude-code');
    expect(worked).toMatchObject({
      texts: ['user: run the greeting'],
      used: [
        [210, 9],
        [230, 11],
      ],
      calls: ['Bash {"command":"echo hello-from-tool"}'],
      results: ['hello-from-tool'],
    });
    const failed = await recorded('claude-code-failures');
    expect(failed.calls).toEqual(['Bash {"command":"echo nope; exit 3"}', 'Read {"file_path":"/nowhere/there.txt"}']);
    expect(failed.trial?.trace.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { callId: 'call_000001_1', error: { message: 'Shell command failed' } },
      { callId: 'call_000001_2', error: { message: expect.stringContaining('File does not exist') } },
    ]);
  });

  it('OpenTelemetry without messages could not be judged, by the names that were found', async () => {
    const { trial } = await recorded('otel-openai');
    expect(trial?.fault).toMatchObject({ code: 'TRACE_NOT_UNDERSTOOD', message: expect.stringContaining('gen_ai.*') });
  });
});

const attributes = (values: object) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));

/** A trial of spans with these attributes, each the child of the one that is named. */
async function trialOf(spans: readonly (readonly [id: string, parent: string, values: object])[]) {
  const written = spans.map(([spanId, parentSpanId, values], index) => ({
    ...{ traceId: 't', spanId, parentSpanId, name: spanId, startTimeUnixNano: `170000000${index}000000000` },
    attributes: attributes(values),
  }));
  const { trials } = await readImport(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: written }] }] }));
  expect(trials).toHaveLength(1);
  return trials[0];
}

describe('spans around others', () => {
  const says = (text: string, inputTokens: string) => ({
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: text }] }]),
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': '1',
  });
  const read = async (...spans: Parameters<typeof trialOf>[0]) => {
    const trace = (await trialOf(spans))?.trace ?? [];
    const texts = trace.flatMap((event) => (event.type === 'message' ? event.text : []));
    const tokens = trace.flatMap((event) => (event.type === 'usage' ? event.inputTokens : []));
    return { texts, tokens };
  };

  it('count where nothing inside them says the same', async () => {
    expect(await read(['agent', '', says('All.', '7')])).toEqual({ texts: ['All.'], tokens: [7] });
  });

  it('count not beside the requests inside them, at any depth', async () => {
    const agent = ['agent', '', says('Over.', '7')] as const;
    const step = ['step', 'agent', { 'gen_ai.operation.name': 'step' }] as const;
    const chats = [['a', 'step', says('One.', '3')] as const, ['b', 'step', says('Over.', '4')] as const];
    expect(await read(agent, step, ...chats)).toEqual({ texts: ['One.', 'Over.'], tokens: [3, 4] });
  });

  it('keep their messages beside those of an agent that works as a tool', async () => {
    const agent = ['agent', '', says('Outer.', '7')] as const;
    const tool = ['tool', 'agent', { 'gen_ai.tool.name': 'helper', 'gen_ai.tool.call.id': 'c1' }] as const;
    const { texts } = await read(agent, tool, ['chat', 'tool', says('Inner.', '3')]);
    expect(texts).toEqual(['Outer.', 'Inner.']);
  });

  it("are not those that are each other's parents", async () => {
    const { texts } = await read(['a', 'b', says('One.', '3')], ['b', 'a', says('Two.', '4')]);
    expect(texts).toEqual(['One.', 'Two.']);
  });
});

describe('a tool span without the id of its call', () => {
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
    const trial = await trialOf([
      ['asks', '', asks],
      ['works', '', works],
    ]);
    const events = trial?.trace.filter(({ type }) => type.startsWith('tool-'));
    expect(events).toMatchObject([
      { type: 'tool-call', callId: 'call-1', tool: 'weather' },
      { type: 'tool-result', callId: 'call-1', result: 'sunny' },
    ]);
  });
});

describe('Pydantic AI, by its documented shapes', () => {
  const called = { id: 'c1', type: 'function', function: { name: 'weather', arguments: { city: 'Rome' } } };
  const tokens = (input: string) => ({ 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': '4' });
  const about = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm-1' };
  const prompted = { 'event.name': 'gen_ai.user.message', role: 'user', content: 'Weather?' };
  const first = [
    { 'event.name': 'gen_ai.system.message', role: 'system', content: 'Be short.' },
    prompted,
    { 'event.name': 'gen_ai.choice', index: 0, message: { role: 'assistant', tool_calls: [called] } },
  ];
  const second = [
    ...first.slice(0, 2),
    { 'event.name': 'gen_ai.assistant.message', role: 'assistant', tool_calls: [called] },
    { 'event.name': 'gen_ai.tool.message', role: 'tool', id: 'c1', name: 'weather', content: 'sunny' },
    { 'event.name': 'gen_ai.choice', message: { role: 'assistant', content: [{ kind: 'text', text: 'Sunny.' }] } },
  ];
  const text = (content: string) => ({ type: 'text', content });
  const use = { type: 'tool_call', id: 'c1', name: 'weather', arguments: { city: 'Rome' } };
  const prompt = [
    { role: 'system', parts: [text('Be short.')] },
    { role: 'user', parts: [text('Weather?')] },
  ];
  const result = { type: 'tool_call_response', id: 'c1', name: 'weather', result: 'sunny' };
  const messages = (input: object[], output: object[]) => ({
    'gen_ai.input.messages': JSON.stringify(input),
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: output }]),
  });
  const generations = {
    'events in one attribute': {
      run: { agent_name: 'desk', all_messages_events: JSON.stringify(second), ...tokens('54') },
      chats: [{ events: JSON.stringify(first) }, { events: JSON.stringify(second) }],
      tool: { tool_arguments: '{"city":"Rome"}', tool_response: 'sunny' },
    },
    'lists of messages': {
      run: { 'gen_ai.agent.name': 'desk', 'pydantic_ai.all_messages': JSON.stringify(prompt), ...tokens('54') },
      chats: [
        messages(prompt, [use]),
        messages([...prompt, { role: 'assistant', parts: [use] }, { role: 'user', parts: [result] }], [text('Sunny.')]),
      ],
      tool: { 'gen_ai.tool.call.arguments': '{"city":"Rome"}', 'gen_ai.tool.call.result': 'sunny' },
    },
  };

  it.each(Object.entries(generations))('has each message, call and token once, as %s', async (_name, written) => {
    const tool = { 'gen_ai.tool.name': 'weather', 'gen_ai.tool.call.id': 'c1', ...written.tool };
    const trial = await trialOf([
      ['agent run', '', written.run],
      ['chat m-1', 'agent run', { ...about, ...written.chats[0], ...tokens('21') }],
      ['running tool', 'agent run', tool],
      ['chat m-1 again', 'agent run', { ...about, ...written.chats[1], ...tokens('33') }],
    ]);
    const trace = trial?.trace ?? [];
    expect(trace.flatMap((event) => (event.type === 'message' ? `${event.role}: ${event.text}` : []))).toEqual([
      'system: Be short.',
      'user: Weather?',
      'assistant: Sunny.',
    ]);
    expect(trace.flatMap((event) => (event.type === 'usage' ? event.inputTokens : []))).toEqual([21, 33]);
    expect(trace.filter(({ type }) => type.startsWith('tool-'))).toMatchObject([
      { type: 'tool-call', callId: 'c1', tool: 'weather', input: { city: 'Rome' } },
      { type: 'tool-result', callId: 'c1', result: 'sunny' },
    ]);
  });
});
