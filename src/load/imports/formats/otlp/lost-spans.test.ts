import { describe, expect, it } from 'vitest';
import { gapsOf, readImport, recordOf } from '../../../../testing/fakes/load/read-import.ts';
import { coverageOf } from '../../../../testing/support/coverage-of.ts';
import type { ImportedTrial } from '../../import-format.ts';

type Values = Readonly<Record<string, string | number | readonly string[]>>;

const attributes = (values: Values) =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value:
      typeof value === 'number'
        ? { intValue: String(value) }
        : typeof value === 'string'
          ? { stringValue: value }
          : { arrayValue: { values: value.map((each) => ({ stringValue: each })) } },
  }));

function span(id: string, at: number, values: Values, more: object = {}) {
  return {
    traceId: 't',
    spanId: id,
    ...(id !== 'root' && { parentSpanId: 'root' }),
    name: id,
    startTimeUnixNano: `${1_700_000_000 + at}000000000`,
    endTimeUnixNano: `${1_700_000_001 + at}000000000`,
    attributes: attributes(values),
    ...more,
  };
}

const question = { role: 'user', parts: [{ type: 'text', content: 'Look' }] };
const answered = { role: 'assistant', parts: [{ type: 'text', content: 'Seen' }] };
const usage = { 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.output_tokens': 2 };
const content = {
  'gen_ai.input.messages': JSON.stringify([question]),
  'gen_ai.output.messages': JSON.stringify([answered]),
};
const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.response.finish_reasons': ['stop'] };
const look = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'look', 'gen_ai.tool.call.result': 'ok' };
const root = span('root', 0, { 'gen_ai.operation.name': 'invoke_agent' });
const tool = span('look', 1, look);
const model = span('chat', 2, { ...chat, ...content, ...usage });

async function trialOf(...spans: readonly object[]): Promise<ImportedTrial> {
  const { trials } = await readImport(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  const [trial] = trials;
  if (!trial) throw new Error('There is no trial.');
  return trial;
}

async function stateOf(channel: 'tool-calls' | 'answers' | 'usage' | 'cost', ...spans: readonly object[]) {
  const { state } = coverageOf((await trialOf(...spans)).trace)[channel];
  return state;
}

describe('a trace that is whole', () => {
  it('is covered, with the time of its answer', async () => {
    const trial = await trialOf(root, tool, model);
    expect(gapsOf(trial)).toEqual([]);
    expect(trial.trace.findLast(({ type }) => type === 'turn')).toMatchObject({ latencyMs: 3_000 });
    const { 'tool-calls': calls, answers, usage: tokens, times } = coverageOf(trial.trace);
    expect([calls.state, answers.state, tokens.state, times.state]).toEqual(Array(4).fill('complete'));
  });

  it('has the time of each of several answers', async () => {
    const messages = (...list: readonly object[]) => ({ 'gen_ai.input.messages': JSON.stringify(list) });
    const again = { role: 'user', parts: [{ type: 'text', content: 'Again' }] };
    const output = {
      'gen_ai.output.messages': JSON.stringify([
        { role: 'assistant', parts: [{ type: 'text', content: 'Once more' }] },
      ]),
    };
    const second = span('chat-2', 7, { ...chat, ...usage, ...messages(question, answered, again), ...output });
    const { trace } = await trialOf(root, model, second);
    expect(trace.flatMap((event) => (event.type === 'turn' ? [event.latencyMs] : []))).toEqual([1_000, 1_000]);
  });
});

describe('a trace whose spans cannot stand as they say', () => {
  const around = (id: string, parent: string) => span(id, 1, look, { parentSpanId: parent });

  it('has parents of each other, and none of its channels is whole', async () => {
    const spans = [around('a', 'b'), around('b', 'c'), around('c', 'a'), { ...model, parentSpanId: 'a' }];
    expect(await stateOf('tool-calls', ...spans)).toBe('partial');
    expect(await stateOf('usage', ...spans)).toBe('partial');
    expect(gapsOf(await trialOf(...spans)).join()).toContain('parents of each other');
  });

  it('nests without end', async () => {
    const chain = Array.from({ length: 3_000 }, (_, level) => around(`s${level + 1}`, `s${level}`));
    const spans = [span('s0', 0, {}, { parentSpanId: undefined }), ...chain, { ...model, parentSpanId: 's3000' }];
    expect(await stateOf('tool-calls', ...spans)).toBe('partial');
  });
});

describe('a trace from which something is missing', () => {
  it('because an attribute was cut', async () => {
    const cut = content['gen_ai.output.messages'].slice(0, 40);
    expect(
      await stateOf(
        'tool-calls',
        root,
        tool,
        span('chat', 2, { ...chat, ...content, ...usage, 'gen_ai.output.messages': cut }),
      ),
    ).toBe('partial');
    const limited = span('chat', 2, { ...chat, 'gen_ai.completion.0.content': 'x'.repeat(256), ...usage });
    expect(gapsOf(await trialOf(root, tool, limited))).toEqual([
      'answers, tool calls, commands, tool results: `gen_ai.completion.0.content` ends at a limit of 256 characters (span chat)',
    ]);
  });

  it.each(['droppedAttributesCount', 'droppedEventsCount', 'droppedLinksCount'])('because of %s', async (name) => {
    expect(await stateOf('tool-calls', root, tool, { ...model, [name]: 1 })).toBe('partial');
    expect(await stateOf('tool-calls', root, tool, { ...model, [name]: 0 })).toBe('complete');
  });

  it('because a reply ended with calls that are not there, or too early', async () => {
    const ended = (reason: string, more: Values) =>
      span('chat', 2, {
        'gen_ai.operation.name': 'chat',
        'gen_ai.response.finish_reasons': [reason],
        ...usage,
        ...more,
      });
    expect(await stateOf('tool-calls', root, tool, ended('tool_calls', {}))).toBe('partial');
    expect(await stateOf('tool-calls', root, tool, ended('tool_calls', content))).toBe('partial');
    expect(await stateOf('answers', root, tool, ended('max_tokens', content))).toBe('partial');
    expect(await stateOf('answers', root, tool, ended('stop', content))).toBe('complete');
  });

  it('because a request has no tokens, or a sum is larger than its parts', async () => {
    const silent = span('chat-2', 3, { ...chat, 'gen_ai.output.messages': '[]' });
    const trial = await trialOf(root, tool, model, silent);
    expect(coverageOf(trial.trace).usage).toMatchObject({ state: 'partial' });
    expect(recordOf(trial).usage).toBeNull();
    const sum = span('root', 0, {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.usage.input_tokens': 900,
      'gen_ai.usage.output_tokens': 90,
    });
    expect(gapsOf(await trialOf(sum, tool, model))).toEqual([
      'tokens, costs: a span reports 990 tokens, and the requests in it 12 (span root)',
    ]);
    expect(recordOf(await trialOf(sum, tool)).usage).toEqual({ inputTokens: 900, outputTokens: 90 });
  });

  it('because tokens are known as a total alone, which is known, or contradict it', async () => {
    const total = (more: Values) => span('chat', 2, { ...chat, ...content, 'gen_ai.usage.total_tokens': 42, ...more });
    expect(recordOf(await trialOf(root, total({}))).usage).toEqual({ totalTokens: 42 });
    expect(await stateOf('usage', root, total({}))).toBe('complete');
    expect(gapsOf(await trialOf(root, total(usage)))).toEqual([
      expect.stringContaining('a total of 42 tokens contradicts 10 of input and 2 of output'),
    ]);
  });

  it('because a span around others did not arrive, unless it is of another process', async () => {
    expect(await stateOf('tool-calls', tool, model)).toBe('partial');
    const remote = { flags: 0x301 };
    expect(await stateOf('tool-calls', { ...tool, ...remote }, { ...model, ...remote })).toBe('complete');
  });

  it('because a span is there twice and differs; the same again changes nothing', async () => {
    expect((await trialOf(root, tool, model, tool)).trace).toEqual((await trialOf(root, tool, model)).trace);
    expect(await stateOf('tool-calls', root, tool, model, { ...tool, name: 'delete_all' })).toBe('partial');
  });

  it.each([
    ['OpenTelemetry', { 'gen_ai.operation.name': 'teleport' }],
    ['OpenInference', { 'openinference.span.kind': 'TELEPORT' }],
    ['the Vercel AI SDK', { 'ai.operationId': 'ai.teleport' }],
    ['Mastra', { 'mastra.span.type': 'teleport' }],
  ])('because a span of %s is of an unknown kind', async (_name, values) => {
    expect(await stateOf('tool-calls', root, tool, model, span('x', 4, values))).toBe('partial');
  });

  it('because two calls have one id', async () => {
    const called = (id: string, name: string) =>
      span(id, 4, { ...look, 'gen_ai.tool.name': name, 'gen_ai.tool.call.id': 'c' });
    const { trace } = await trialOf(root, model, called('a', 'look'), called('b', 'delete_all'));
    expect(trace.flatMap((event) => (event.type === 'tool-call' ? [event.tool] : []))).toEqual(['look', 'delete_all']);
    expect(coverageOf(trace)['tool-results'].state).toBe('partial');
  });
});

describe('a tool span with an error type', () => {
  it('has failed, whatever its status', async () => {
    const { trace } = await trialOf(root, span('look', 1, { ...look, 'error.type': 'timeout' }), model);
    expect(trace).toContainEqual(expect.objectContaining({ type: 'tool-result', error: { message: 'timeout' } }));
  });
});
