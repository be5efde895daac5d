import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Message } from '../../domain/message.ts';
import type { TraceEvent } from '../../domain/trace.ts';
import type { EvaluationContext } from '../../score/evaluators/evaluator.ts';
import { evaluationContext } from '../../testing/evaluation-context.ts';
import { adaptEvaluator } from './adapt-evaluator.ts';
import type { EvaluatorContext, EvaluatorPlugin } from './evaluator-plugin.ts';

const about = { type: 'sample', label: 'Sample' };

async function answer(plugin: unknown, context = evaluationContext({ answer: 'Hi' }), config: unknown = {}) {
  return await adaptEvaluator(plugin as EvaluatorPlugin).prepare(config)(context);
}

function assertion(evaluate: (context: EvaluatorContext) => unknown): unknown {
  return { ...about, kind: 'assertion', evaluate };
}

function metric(evaluate: (context: EvaluatorContext) => unknown): unknown {
  return { ...about, kind: 'metric', evaluate };
}

/** Context that a plug-in receives. */
async function contextGivenFor(context: EvaluationContext): Promise<EvaluatorContext> {
  let received: EvaluatorContext | undefined;
  await answer(
    assertion((given) => {
      received = given;
      return { success: true, reason: 'received' };
    }),
    context,
  );
  if (!received) throw new Error('the evaluator was not called');
  return received;
}

describe('the answer of a simple evaluator', () => {
  it.each([
    [
      { success: true, reason: 'fine' },
      { state: 'pass', reason: 'fine' },
    ],
    [
      { success: false, reason: 'bad', value: 0.25 },
      { state: 'fail', reason: 'bad', value: 0.25 },
    ],
  ])('is a verdict for an assertion', async (given, expected) => {
    expect(await answer(assertion(() => given))).toEqual(expected);
    expect(await answer(assertion(async () => given))).toEqual(expected);
  });

  it('is a measurement for a metric, which cannot fail', async () => {
    const given = { success: false, value: 3, reason: 'three' };
    expect(await answer(metric(() => given))).toEqual({ state: 'measured', value: 3, reason: 'three' });
  });

  it('keeps its metadata as a copy', async () => {
    const metadata = { calls: ['find'], seen: new Date(0) };
    const given = { success: true, reason: 'fine', metadata };
    expect(await answer(assertion(() => given))).toEqual({
      state: 'pass',
      reason: 'fine',
      metadata: { calls: ['find'], seen: '1970-01-01T00:00:00.000Z' },
    });
  });

  it.each([
    ['metadata that is not an object', { success: true, reason: 'x', metadata: 'much' }],
    ['metadata that cannot be stored', { success: true, reason: 'x', metadata: { count: 1n } }],
    ['metadata that would fill the store', { success: true, reason: 'x', metadata: { text: 'x'.repeat(100_000) } }],
    ['nothing', undefined],
    ['null', null],
    ['a text', 'yes'],
    ['a list', [true]],
    ['no success', { reason: 'x' }],
    ['a success that is none', { success: 'yes', reason: 'x' }],
    ['no reason', { success: true }],
    ['a reason that is not a text', { success: true, reason: 5 }],
    ['a value that is not a number', { success: true, reason: 'x', value: '1' }],
    ['an endless value', { success: true, reason: 'x', value: Number.NaN }],
  ])('is refused when it is junk: %s', async (_name, given) => {
    const isUnusable = { code: 'EVALUATOR_FAILED' };
    await expect(answer(assertion(async () => given))).rejects.toMatchObject(isUnusable);
    await expect(answer(metric(async () => given))).rejects.toMatchObject(isUnusable);
  });

  it('is its own error when it throws', async () => {
    const fails = assertion(() => {
      throw new Error('no luck');
    });
    await expect(answer(fails)).rejects.toMatchObject({ code: 'EVALUATOR_FAILED', message: 'no luck' });
  });

  it('keeps the code of an error of ours that another copy of the program made', async () => {
    const foreign = Object.assign(new Error('not there'), {
      name: 'AssayError',
      code: 'TARGET_UNREACHABLE',
      hint: 'Start it.',
    });
    await expect(answer(assertion(() => Promise.reject(foreign)))).rejects.toMatchObject({
      code: 'TARGET_UNREACHABLE',
      hint: 'Start it.',
    });
  });

  it('is not waited for longer than a trial may take', async () => {
    const context = evaluationContext({ answer: 'Hi', latencyMs: 5 });
    const hurried = { ...context, trial: { ...context.trial, scenario: { ...context.trial.scenario, timeoutMs: 60 } } };
    await expect(
      answer(
        assertion(() => new Promise(() => {})),
        hurried,
      ),
    ).rejects.toMatchObject({
      code: 'EVALUATOR_FAILED',
      message: 'no answer within 5 ms',
    });
  });

  it('is not waited for when the run is interrupted', async () => {
    const stopped = { ...evaluationContext({ answer: 'Hi' }), signal: AbortSignal.abort(new Error('interrupted')) };
    await expect(
      answer(
        assertion(() => new Promise(() => {})),
        stopped,
      ),
    ).rejects.toThrow('interrupted');
  });
});

describe('the context of a simple evaluator', () => {
  it('is the answer with its figures in both spellings', async () => {
    const tokenUsage = { input: 3, output: 4, total: 7 };
    const context = await contextGivenFor(
      evaluationContext({ answer: 'Hi', latencyMs: 12, tokenUsage, turn: 2, isFinal: false }),
    );
    expect(context).toMatchObject({ turn: 2, isFinal: false, scenario: { name: 'sample' } });
    expect(context.lastInvocation).toEqual({
      latencyMs: 12,
      messages: [{ role: 'assistant', content: 'Hi' }],
      tokenUsage,
      tokensUsage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
    });
  });

  it('is the whole conversation, with its persona and what it is about', async () => {
    const base = evaluationContext({ answer: 'Booked for Ann', prompt: 'Book it' });
    const [question, answered] = base.trace as [TraceEvent, TraceEvent];
    const greeting: TraceEvent = { type: 'message', at: 0, seenBy: 'engine', role: 'assistant', text: 'Welcome' };
    const echo: TraceEvent = { type: 'message', at: 1, seenBy: 'agent', role: 'assistant', text: 'Booked for Ann' };
    const config = {
      connectors: {},
      personas: { ann: { name: 'Ann', description: 'lives in {{city}}', messages: [], headers: {} } },
      instructions: 'Book in {{city}}',
      messages: [],
      userMessages: [],
      maxMessages: 6,
    };
    const { trial } = base;
    const context = await contextGivenFor({
      ...base,
      trace: [greeting, question, echo, answered],
      trial: {
        ...trial,
        variant: { persona: 'ann' },
        case: { ...trial.case, input: { city: 'Rome' } },
        scenario: { ...trial.scenario, target: { type: 'conversation', config } },
      },
    });
    expect(context).toMatchObject({
      messages: [
        { role: 'assistant', content: 'Welcome' },
        { role: 'user', content: 'Book it' },
        { role: 'assistant', content: 'Booked for Ann' },
      ],
      scenario: { instructions: 'Book in Rome', maxMessages: 6 },
      persona: { name: 'Ann', description: 'lives in Rome' },
      input: { city: 'Rome' },
    });
    expect(context.messages).toHaveLength(3);
  });

  it('is the call and its result where a tool is called directly', async () => {
    const base = evaluationContext({ answer: undefined, input: { a: 1 } });
    const result: TraceEvent = {
      type: 'tool-result',
      at: 3,
      seenBy: 'engine',
      callId: 'c',
      durationMs: 3,
      result: { b: 2 },
    };
    const turn = { number: 1, messages: [{ role: 'assistant', content: '{"b":2}' }] as Message[], latencyMs: 3 };
    const unknown = { timeToFirstTokenMs: undefined, usage: undefined, costUsd: undefined };
    const context = await contextGivenFor({ ...base, trace: [result], turn: { ...turn, ...unknown } });
    expect(context.messages).toEqual([
      { role: 'user', content: '{"a":1}' },
      { role: 'assistant', content: '{"b":2}' },
    ]);
    expect(context.lastInvocation).toEqual({ latencyMs: 3, messages: turn.messages });
  });

  it('says where nothing was answered or measured', async () => {
    const { lastInvocation, turn } = await contextGivenFor(evaluationContext({ answer: undefined }));
    expect(lastInvocation).toEqual({ latencyMs: undefined, messages: [] });
    expect(turn).toBe(1);
  });

  it('is a copy, which it may spoil', async () => {
    const context = evaluationContext({ answer: 'Hi', input: { list: [1] } });
    const before = structuredClone(context.trace);
    const given = await contextGivenFor(context);
    for (const message of given.messages) message.content = 'forged';
    given.messages.length = 0;
    given.lastInvocation.messages.push({ role: 'assistant', content: 'forged' });
    (given.input as { list: number[] }).list.push(2);
    expect(context.trace).toEqual(before);
    expect(context.trial.case.input).toEqual({ list: [1] });
  });

  it('has the config as its schema reads it', async () => {
    const plugin = {
      ...about,
      kind: 'assertion',
      configSchema: z.object({ word: z.string().transform((word) => word.toUpperCase()) }),
      evaluate: ({ config }: EvaluatorContext) => ({ success: true, reason: String(config.word) }),
    };
    expect(await answer(plugin, undefined, { word: 'hi' })).toMatchObject({ reason: 'HI' });
  });
});

describe('an evaluator of a plug-in in a conversation', () => {
  const evaluate = () => ({ success: true, value: 1, reason: '' });

  it('must hold after every answer, unless it says otherwise', () => {
    const of = (more: object) =>
      adaptEvaluator({ ...about, kind: 'assertion', evaluate, ...more }).when?.({ late: true });
    expect(of({})).toBe('every-turn');
    expect(of({ when: 'final' })).toBe('final');
    expect(of({ when: ({ late }: { late?: boolean }) => (late ? 'eventually' : 'final') })).toBe('eventually');
  });

  it('counts with its last figure, unless it says otherwise', () => {
    expect(adaptEvaluator({ ...about, kind: 'metric', evaluate }).aggregate).toBe('last');
    expect(adaptEvaluator({ ...about, kind: 'metric', evaluate, aggregate: 'sum' }).aggregate).toBe('sum');
  });
});

describe('a prepared evaluator', () => {
  const configSchema = z.object({ name: z.string().default('words') });
  const plugin = {
    ...about,
    summary: 'counts words',
    kind: 'metric' as const,
    needs: ['turns' as const],
    reads: { channels: { answers: 'total' as const } },
    configSchema,
    aggregate: 'sum' as const,
    metricName: ({ name }: z.output<typeof configSchema>) => name,
    prepare:
      ({ name }: z.output<typeof configSchema>) =>
      async ({ trace }: EvaluationContext) => ({ state: 'measured' as const, value: trace.length, reason: name }),
  };

  it('is called like a built-in evaluator', async () => {
    const evaluator = adaptEvaluator(plugin as unknown as EvaluatorPlugin);
    expect(evaluator).toMatchObject({ type: 'sample', summary: 'counts words', needs: ['turns'], aggregate: 'sum' });
    expect(evaluator.metricName?.({})).toBe('words');
    expect(evaluator.when).toBeUndefined();
    expect(await answer(plugin)).toEqual({ state: 'measured', value: 2, reason: 'words' });
  });

  it('must declare what it reads', () => {
    const { reads: _, ...silent } = plugin;
    expect(() => adaptEvaluator(silent as unknown as EvaluatorPlugin)).toThrow('does not declare what it reads');
  });

  it('has as long as a trial, whatever the trial itself took', async () => {
    const context = evaluationContext({ answer: 'Hi', latencyMs: 20 });
    const hurried = { ...context, trial: { ...context.trial, scenario: { ...context.trial.scenario, timeoutMs: 30 } } };
    const { aggregate: _, ...once } = { ...plugin, prepare: () => () => new Promise<never>(() => {}) };
    await expect(answer(once, hurried)).rejects.toThrow('no answer within 30 ms');
  });
});
