import { describe, expect, it } from 'vitest';
import { AssayError } from '../../../domain/errors.ts';
import { faultOf } from '../../../domain/outcome.ts';
import type { TraceEvent } from '../../../domain/trace.ts';
import { eventsIn, readImport } from '../../../testing/fakes/load/read-import.ts';
import { hostileTexts, rendered, reporterNamed, type TrialChanges } from '../../../testing/support/rendered.ts';

interface Written {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Written[];
  readonly events?: readonly { readonly name: string; readonly attributes: readonly Written[] }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

async function tracesOf(...trials: readonly TrialChanges[]): Promise<Span[][]> {
  const text = await rendered(reporterNamed('otlp'), trials);
  return text
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).resourceSpans[0].scopeSpans[0].spans);
}

function values(attributes: readonly Written[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

function evaluations(root: Span | undefined): Record<string, unknown>[] {
  return (root?.events ?? []).map(({ name, attributes }) => {
    expect(name).toBe('gen_ai.evaluation.result');
    return values(attributes);
  });
}

const by = { seenBy: 'agent' } as const;
const trace: TraceEvent[] = [
  {
    type: 'agent-started',
    at: 0,
    ...by,
    agent: 'codex',
    version: '1.2',
    model: null,
    isolation: 'none',
    isScripted: false,
  },
  { type: 'message', at: 1, ...by, role: 'user', text: 'Where is it?' },
  { type: 'reasoning', at: 2, ...by, text: 'I must look.' },
  { type: 'tool-call', at: 5, ...by, callId: 'c1', tool: 'track', input: { id: 7 } },
  { type: 'usage', at: 6, ...by, inputTokens: 100, outputTokens: 5, cachedInputTokens: 40, model: 'm-1' },
  { type: 'tool-result', at: 9, ...by, callId: 'c1', durationMs: 4, result: 'in Oslo' },
  { type: 'tool-call', at: 10, ...by, callId: 'c2', tool: 'track', input: {} },
  { type: 'tool-result', at: 11, ...by, callId: 'c2', durationMs: 1, error: { message: 'no id' } },
  {
    ...{ type: 'command', at: 20, seenBy: 'recorder', argv: ['track', '--id', '7'], cwd: '.', durationMs: 5 },
    ...{ exitCode: 3, signal: null, stdout: null, stderr: null, isNested: false },
  } as TraceEvent,
  { type: 'message', at: 30, ...by, role: 'assistant', text: 'It is in Oslo.' },
  { type: 'usage', at: 31, ...by, inputTokens: 120, outputTokens: 6 },
];
const agentTrial: TrialChanges = {
  trace,
  variant: { agent: 'codex', model: 'openai/gpt-x' },
  durationMs: 40,
  usage: { inputTokens: 220, outputTokens: 11 },
};

describe('OTLP traces', () => {
  it('say how much of each channel was observed, and have each loss as an event', async () => {
    const lost: TraceEvent = {
      type: 'gap',
      at: 3,
      ...by,
      channels: ['usage', 'cost'],
      reason: 'the stream has no end',
      place: 'line 9',
    };
    const coverage = { usage: { state: 'partial' as const }, files: { state: 'none' as const } };
    const [[root] = [], [direct] = []] = await tracesOf({ coverage, trace: [lost] }, { trace: [] });
    expect(values(root?.attributes)).toMatchObject({
      'assay.coverage.usage': 'partial',
      'assay.coverage.files': 'none',
      'assay.coverage.answers': 'complete',
    });
    expect(root?.events?.[0]).toMatchObject({ name: 'assay.gap' });
    expect(values(root?.events?.[0]?.attributes)).toMatchObject({
      'assay.gap.reason': 'the stream has no end',
      'assay.gap.place': 'line 9',
    });
    expect(root?.events?.[1]).toMatchObject({ name: 'gen_ai.evaluation.result' });
    expect(Object.keys(values(direct?.attributes)).filter((key) => key.startsWith('assay.coverage'))).toEqual([]);
  });

  it('have ids of the right size, one root each, and parents that are there', async () => {
    const traces = await tracesOf(agentTrial, {}, { trace: [] });
    expect(traces).toHaveLength(3);
    for (const spans of traces) {
      const ids = new Set(spans.map(({ spanId }) => spanId));
      expect(ids.size).toBe(spans.length);
      expect(spans.filter(({ parentSpanId }) => parentSpanId === undefined)).toHaveLength(1);
      for (const span of spans) {
        expect(span.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
        expect(span.traceId).toBe(spans[0]?.traceId);
        expect(span.spanId).toMatch(/^(?!0{16})[0-9a-f]{16}$/);
        if (span.parentSpanId !== undefined) expect(ids).toContain(span.parentSpanId);
        expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
        expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(spans[0]?.startTimeUnixNano ?? 0));
        expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(spans[0]?.endTimeUnixNano ?? 0));
      }
    }
    expect(new Set(traces.map(([root]) => root?.traceId)).size).toBe(3);
    expect(await tracesOf(agentTrial, {}, { trace: [] })).toEqual(traces);
  });

  it('have a span for the agent, each answer, each tool call and each command', async () => {
    const [[root, ...steps] = []] = await tracesOf(agentTrial);
    expect(root?.name).toBe('invoke_agent codex');
    expect(values(root?.attributes)).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'codex',
      'gen_ai.agent.version': '1.2',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'openai/gpt-x',
      'gen_ai.usage.input_tokens': '220',
      'assay.scenario': 'sample',
      'assay.case': 'case-0',
      'assay.repeat': '1',
      'assay.outcome': 'pass',
      'test.case.result.status': 'pass',
    });
    expect(steps.map(({ name }) => name)).toEqual([
      'chat m-1',
      'execute_tool track',
      'execute_tool track',
      'command track',
      'chat openai/gpt-x',
    ]);
    const [thought, called, refused, command, answer] = steps;
    expect(values(thought?.attributes)).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.response.model': 'm-1',
      'gen_ai.usage.input_tokens': '100',
      'gen_ai.usage.cache_read.input_tokens': '40',
      'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Where is it?"}]}]',
    });
    expect(values(called?.attributes)).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'track',
      'gen_ai.tool.call.id': 'c1',
      'gen_ai.tool.call.arguments': '{"id":7}',
      'gen_ai.tool.call.result': '"in Oslo"',
    });
    expect(called?.status).toEqual({});
    expect(BigInt(called?.endTimeUnixNano ?? 0) - BigInt(called?.startTimeUnixNano ?? 0)).toBe(4_000_000n);
    expect(refused?.status).toEqual({ code: 2, message: 'no id' });
    expect(values(command?.attributes)).toMatchObject({ 'process.exit.code': '3', 'error.type': 'exit_code' });
    expect(command?.startTimeUnixNano).toBe('1700000000015000000');
    expect(JSON.parse(String(values(answer?.attributes)['gen_ai.output.messages']))).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'It is in Oslo.' }], finish_reason: 'stop' },
    ]);
  });

  it('report every verdict and every figure as an evaluation result', async () => {
    const fault = faultOf(new AssayError('JUDGE_UNREADABLE', 'not JSON'));
    const asserted = { kind: 'assertion', success: false } as const;
    const [[root] = []] = await tracesOf({
      outcome: 'fail',
      reason: 'it is wrong',
      metrics: { latency: 12, share: 0.5 },
      evaluatorResults: [
        { type: 'contains', ...asserted, state: 'fail', reason: 'no x' },
        { type: 'llm-judge', ...asserted, state: 'error', reason: 'not JSON', fault },
        { type: 'similarity', ...asserted, state: 'pass', reason: 'alike', value: 0.75 },
        { type: 'measure', kind: 'metric', state: 'measured', success: true, value: 12, reason: '' },
      ],
    });
    const events = evaluations(root).map((event) => [
      event['gen_ai.evaluation.name'],
      event['gen_ai.evaluation.score.label'],
      event['gen_ai.evaluation.score.value'],
      event['gen_ai.evaluation.explanation'],
      event['error.type'],
    ]);
    expect(events).toEqual([
      ['outcome', 'fail', 0, 'it is wrong', undefined],
      ['contains', 'fail', 0, 'no x', undefined],
      ['llm-judge', 'error', undefined, 'not JSON', 'JUDGE_UNREADABLE'],
      ['similarity', 'pass', 0.75, 'alike', undefined],
      ['latency', undefined, 12, undefined, undefined],
      ['share', undefined, 0.5, undefined, undefined],
    ]);
    expect(root?.status).toEqual({});
  });

  it('are in error where a trial could not be judged, and only there', async () => {
    const fault = faultOf(new AssayError('TARGET_TIMEOUT', 'No answer'));
    const [[root] = []] = await tracesOf({ outcome: 'error', reason: 'No answer', fault, variant: {} });
    expect(root).toMatchObject({ name: 'trial sample', status: { code: 2, message: 'No answer' } });
    expect(values(root?.attributes)).toMatchObject({ 'error.type': 'TARGET_TIMEOUT', 'assay.outcome': 'error' });
    expect(values(root?.attributes)).not.toHaveProperty('test.case.result.status');
    expect(evaluations(root)[0]).not.toHaveProperty('gen_ai.evaluation.score.value');
  });

  it('carry whatever is said, and little of what is endless', async () => {
    for (const text of hostileTexts) {
      const messages: TraceEvent[] = [{ type: 'message', at: 0, ...by, role: 'assistant', text }];
      const [[root, step] = []] = await tracesOf({
        scenario: text,
        reason: text,
        variant: { agent: text },
        trace: messages,
      });
      expect(values(root?.attributes)['gen_ai.agent.name']).toBe(text);
      const [message] = JSON.parse(String(values(step?.attributes)['gen_ai.output.messages']));
      expect(message.parts[0].content).toBe(text);
    }
    const endless = 'x\uD800'.repeat(100_000);
    const text = await rendered(reporterNamed('otlp'), [
      {
        trace: [
          { type: 'message', at: 0, ...by, role: 'assistant', text: endless },
          { type: 'tool-call', at: 1, ...by, callId: 'c', tool: 'echo', input: { endless } },
        ],
      },
    ]);
    expect(text.length).toBeLessThan(100_000);
    expect(text).not.toMatch(/(?<!\\)\\ud[89a-f]/i);
  });

  it('come back as the same trial when they are imported', async () => {
    const { format, trials, problems } = await readImport(await rendered(reporterNamed('otlp'), [agentTrial]), {
      name: 'traces.jsonl',
    });
    expect({ format, problems }).toEqual({ format: 'otlp', problems: [] });
    expect(trials).toHaveLength(1);
    expect(trials[0]).toMatchObject({
      scenario: 'sample',
      caseId: 'case-0',
      repeat: 1,
      variant: { agent: 'codex', model: 'openai/gpt-x' },
      startedAt: 1_700_000_000_000,
      verdict: { state: 'pass' },
    });
    const events = eventsIn(trials[0]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-call', callId: 'c1', input: { id: 7 } }));
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-result', callId: 'c1', result: 'in Oslo' }));
    expect(events).toContainEqual(expect.objectContaining({ type: 'message', role: 'user', text: 'Where is it?' }));
    expect(events).toContainEqual(expect.objectContaining({ type: 'usage', inputTokens: 120, outputTokens: 6 }));
  });
});
