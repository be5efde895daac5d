import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Trace } from '../../../../domain/trace.ts';
import { eventsIn, readImport, reported } from '../../../../testing/fakes/load/read-import.ts';

type Values = Readonly<Record<string, string | number | boolean>>;

function attributes(values: Values) {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : typeof value === 'boolean'
          ? { boolValue: value }
          : Number.isInteger(value)
            ? { intValue: String(value) }
            : { doubleValue: value },
  }));
}

interface SpanOptions {
  readonly traceId?: string;
  /** Empty for a root. */
  readonly parent?: string;
  readonly at?: number;
  readonly values?: Values;
  readonly events?: readonly object[];
  readonly status?: object;
}

function span(name: string, { traceId = 'trace', parent = '', at = 0, values = {}, events = [], status }: SpanOptions) {
  const nanoseconds = (seconds: number): string => `${1_700_000_000 + seconds}000000000`;
  return {
    traceId,
    spanId: `${name}-${at}`,
    ...(parent !== '' && { parentSpanId: parent }),
    name,
    startTimeUnixNano: nanoseconds(at),
    endTimeUnixNano: nanoseconds(at + 1),
    attributes: attributes(values),
    events,
    ...(status && { status }),
  };
}

function exported(...spans: readonly object[]) {
  const resource = { attributes: attributes({ 'service.name': 'shop' }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] };
}

const question = { role: 'user', parts: [{ type: 'text', content: 'Where is it?' }] };
const called = { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'track', arguments: { id: 7 } }] };
const answered = { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'in Oslo' }] };
const finalAnswer = { role: 'assistant', parts: [{ type: 'text', content: 'It is in Oslo.' }] };

const chat = (at: number, input: readonly object[], output: object) =>
  span('chat m-1', {
    parent: 'invoke_agent-0',
    at,
    values: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm-1',
      'gen_ai.input.messages': JSON.stringify(input),
      'gen_ai.output.messages': JSON.stringify([output]),
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 5,
    },
  });

const tool = span('execute_tool track', {
  parent: 'invoke_agent-0',
  at: 2,
  values: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'track',
    'gen_ai.tool.call.id': 'c1',
    'gen_ai.tool.call.result': 'in Oslo',
  },
});
const root = span('invoke_agent', {
  parent: '',
  values: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'support' },
});
const whole = exported(chat(3, [question, called, answered], finalAnswer), tool, chat(1, [question], called), root);

describe('OTLP traces', () => {
  it.each([
    ['a document', JSON.stringify(whole, null, 2)],
    ['a line', JSON.stringify(whole)],
    [
      'an export to a line',
      [chat(3, [question, called, answered], finalAnswer), tool, chat(1, [question], called), root]
        .map((each) => JSON.stringify(exported(each)))
        .join('\n'),
    ],
  ])('yield each message and each call once, in order, from %s', async (_name, text) => {
    const { format, trials, problems } = await readImport(text, { name: 'traces.json' });
    expect({ format, problems }).toEqual({ format: 'otlp', problems: [] });
    expect(trials).toHaveLength(1);
    expect(trials[0]).toMatchObject({
      caseId: 'trace-1',
      variant: { agent: 'support', model: 'm-1' },
      startedAt: 1_700_000_000_000,
      durationMs: 4_000,
      verdict: undefined,
    });
    expect(eventsIn(trials[0])).toEqual([
      { type: 'message', role: 'user', text: 'Where is it?' },
      { type: 'tool-call', callId: 'c1', tool: 'track', input: { id: 7 } },
      { type: 'usage', inputTokens: 100, outputTokens: 5, model: 'm-1' },
      { type: 'tool-result', callId: 'c1', durationMs: 1_000, result: 'in Oslo' },
      { type: 'message', role: 'assistant', text: 'It is in Oslo.' },
      { type: 'usage', inputTokens: 100, outputTokens: 5, model: 'm-1' },
      expect.objectContaining({ type: 'turn' }),
      { type: 'reports', what: ['tool-calls'] },
    ]);
  });

  it('may have messages as events or as numbered attributes', async () => {
    const events = [
      { name: 'gen_ai.user.message', attributes: attributes({ content: 'Hi' }) },
      {
        name: 'gen_ai.choice',
        attributes: attributes({ message: JSON.stringify({ role: 'assistant', content: 'Hello' }) }),
      },
    ];
    const numbered = {
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Hi',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'Hello',
    };
    for (const each of [span('chat', { events }), span('chat', { values: numbered })]) {
      const { trials } = await readImport(JSON.stringify(exported(each)));
      expect(eventsIn(trials[0]).slice(0, 2)).toEqual([
        { type: 'message', role: 'user', text: 'Hi' },
        { type: 'message', role: 'assistant', text: 'Hello' },
      ]);
    }
  });

  it('have the outcome that an evaluation gave, and an error where the root broke', async () => {
    const evaluation = (label: string, value: number) => ({
      name: 'gen_ai.evaluation.result',
      attributes: attributes({
        'gen_ai.evaluation.name': 'relevance',
        'gen_ai.evaluation.score.label': label,
        'gen_ai.evaluation.score.value': value,
      }),
    });
    const passed = span('a', { traceId: '1', parent: '', events: [evaluation('pass', 0.9)] });
    const failed = span('b', { traceId: '2', parent: '', events: [evaluation('fail', 0.1), evaluation('pass', 1)] });
    const broken = span('c', {
      traceId: '3',
      parent: '',
      values: { 'gen_ai.operation.name': 'invoke_agent' },
      status: { code: 2, message: 'no quota' },
    });
    const unjudged = span('d', {
      traceId: '4',
      parent: '',
      values: { 'assay.outcome': 'error' },
      events: [evaluation('pass', 1)],
    });
    const { trials } = await readImport(JSON.stringify(exported(passed, failed, broken, unjudged)));
    expect(trials.map(({ verdict }) => verdict?.state)).toEqual(['pass', 'fail', 'error', 'error']);
    expect(trials[0]?.metrics).toEqual({ relevance: 0.9 });
    expect(trials[2]?.verdict?.reason).toBe('no quota');
  });

  it('without anything about models are reported, and so are spans without a trace', async () => {
    const other = span('GET /', { traceId: 'x', values: { 'http.method': 'GET' } });
    const lost = { ...span('lost', {}), traceId: '' };
    const read = await readImport(JSON.stringify(exported(other, lost, root)));
    expect(read.trials).toHaveLength(1);
    expect(reported(read)).toEqual(['1: 1 span without a `traceId`', '1: trace x has no spans with gen_ai attributes']);
  });
});

describe('OTLP logs', () => {
  const recorded = (agent: string) =>
    JSON.stringify(
      JSON.parse(
        readFileSync(new URL(`../../../../../test/fixtures/otlp/${agent}-logs.json`, import.meta.url), 'utf8'),
      ),
    );
  const logs = (...logRecords: readonly object[]) =>
    JSON.stringify({ resourceLogs: [{ resource: {}, scopeLogs: [{ scope: { name: 'app' }, logRecords }] }] });
  const greeting = {
    ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), eventName: 'gen_ai.user.message' },
    ...{ timeUnixNano: '1700000000000000000', attributes: [] },
    body: { kvlistValue: { values: attributes({ content: 'Hi' }) } },
  };

  it('of agents are a trial for each session, each event once', async () => {
    const text = [recorded('claude-code'), recorded('codex'), recorded('codex')].join('\n');
    const { format, trials, problems } = await readImport(text, { name: 'logs.jsonl' });
    expect({ format, problems }).toEqual({ format: 'otlp', problems: [] });
    expect(trials.map(({ variant }) => variant.agent)).toEqual(['claude-code', 'codex_exec']);
    const calls = trials.map(({ trace }) => trace.flatMap((event) => (event.type === 'tool-call' ? event.input : [])));
    expect(calls).toEqual([[{ command: 'echo hello-from-tool' }], [{ cmd: 'echo hello-from-tool' }]]);
  });

  it('for spans join the spans of the same file, and are reported where there are none', async () => {
    const chatSpan = { ...span('chat', { parent: '' }), traceId: greeting.traceId, spanId: greeting.spanId };
    const both = `${logs(greeting, { body: { stringValue: 'started' } })}\n${JSON.stringify(exported(chatSpan))}`;
    const joined = await readImport(both);
    expect(joined.problems).toEqual([]);
    expect(joined.trials.map(({ trace }) => eventsOfType(trace))).toEqual([['message']]);
    const alone = await readImport(logs(greeting));
    expect(alone.trials).toEqual([]);
    expect(reported(alone)).toEqual([`1: 1 log record of trace ${greeting.traceId}, whose spans are not in this file`]);
  });

  it('about anything else are reported, whatever is wrong with them', async () => {
    const others = await readImport(
      logs({ body: { stringValue: 'started' } }, { eventName: 'claude_code.user_prompt' }),
    );
    expect(others.trials).toEqual([]);
    expect(reported(others)).toEqual([
      '1: 1 log record without its session or its span',
      '1: none of its 2 log records is about an agent',
    ]);
    for (const broken of ['{"resourceLogs":{}}', '{"resourceLogs":[7]}']) {
      expect(reported(await readImport(broken))).toEqual(['1: `resourceSpans` or `resourceLogs` is missing']);
    }
  });
});

function eventsOfType(trace: Trace): string[] {
  return trace.flatMap(({ type }) => (type === 'message' ? [type] : []));
}
