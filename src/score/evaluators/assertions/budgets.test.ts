import { describe, expect, it } from 'vitest';
import { unansweredEvents } from '../../../domain/costs.ts';
import type { TraceEvent } from '../../../domain/trace.ts';
import {
  ask,
  contextOf,
  conversationTrace,
  describeVerdict,
  inWords,
  whenOf,
} from '../../../testing/fakes/score/conversation.ts';
import { costBudget, latencyBudget, timeToFirstToken, tokenBudget, toolCallBudget, turnBudget } from './budgets.ts';

const usage = { input: 300, output: 556, total: 856 };
const nothing = contextOf([]);
/** One request of an agent with its figures, and two that were never answered. */
const partlyKnown: readonly TraceEvent[] = [
  { type: 'usage', at: 0, seenBy: 'agent', inputTokens: 10, outputTokens: 5, costUsd: 0.02 },
  ...unansweredEvents('m', 2, 'target').map((event) => ({ ...event, at: 0, seenBy: 'gateway' }) as TraceEvent),
];

describe('latency-budget', () => {
  it.each([
    [2_999, 'pass: 2,999ms / 3,000ms'],
    [3_000, 'pass: 3,000ms / 3,000ms'],
    [3_001, 'fail: 3,001ms / 3,000ms'],
    [1.234, 'pass: 1.23ms / 3,000ms'],
  ])('after %d ms', async (latencyMs, words) => {
    expect(await describeVerdict(latencyBudget, { maxMs: 3_000 }, { text: 'Hi', latencyMs })).toBe(words);
  });

  it('looks at the last answer of a conversation', async () => {
    const turns = [
      { text: 'a', latencyMs: 900 },
      { text: 'b', latencyMs: 20 },
    ];
    expect(await describeVerdict(latencyBudget, { maxMs: 100 }, ...turns)).toBe('pass: 20ms / 100ms');
  });

  it.each([
    [150, 0.5],
    [100, 1],
    [500, 0],
  ])('scores %d ms of 100 as %d', async (latencyMs, value) => {
    const context = contextOf(conversationTrace({ text: 'Hi', latencyMs }));
    expect(await ask(latencyBudget, { maxMs: 100 }, context)).toMatchObject({ value });
  });

  it('scores a breach of a budget of nothing as 0', async () => {
    const context = contextOf(conversationTrace({ text: 'Hi', latencyMs: 1 }));
    expect(await ask(latencyBudget, { maxMs: 0 }, context)).toMatchObject({ state: 'fail', value: 0 });
  });

  it('looks at the time of a tool that was called directly', async () => {
    const result: TraceEvent = { type: 'tool-result', at: 0, seenBy: 'engine', callId: 'c', durationMs: 7, result: {} };
    expect(inWords(await ask(latencyBudget, { maxMs: 5 }, contextOf([result])))).toBe('fail: 7ms / 5ms');
  });

  it('cannot be judged without data, and takes no time of an agent’s own tools for it', async () => {
    const result: TraceEvent = { type: 'tool-result', at: 0, seenBy: 'agent', callId: 'c', durationMs: 1, result: {} };
    for (const context of [nothing, contextOf([result])]) {
      const words = inWords(await ask(latencyBudget, { maxMs: 5 }, context));
      expect(words).toBe('error NOT_OBSERVED: There is no answer whose time could be measured.');
    }
  });
});

describe('time-to-first-token', () => {
  it.each([
    [200, 'pass: 200ms / 200ms'],
    [201, 'fail: 201ms / 200ms'],
    [undefined, "error NOT_OBSERVED: No time to first token available (connector doesn't provide it)."],
  ])('after %s ms', async (timeToFirstTokenMs, words) => {
    const turn = timeToFirstTokenMs === undefined ? { text: 'Hi' } : { text: 'Hi', timeToFirstTokenMs };
    expect(await describeVerdict(timeToFirstToken, { maxMs: 200 }, turn)).toBe(words);
  });
});

describe('token-budget', () => {
  it.each([
    [{ maxTokens: 856 }, 'pass: 856 / 856 tokens'],
    [{ maxTokens: 855 }, 'fail: 856 / 855 tokens'],
    [{ maxTokens: 300, inputOnly: true }, 'pass: 300 / 300 input tokens'],
    [{ maxTokens: 300, outputOnly: true }, 'fail: 556 / 300 output tokens'],
    [{ maxTokens: 12_000 }, 'pass: 856 / 12,000 tokens'],
  ])('with %j', async (config, words) => {
    expect(await describeVerdict(tokenBudget, config, { text: 'Hi', tokenUsage: usage })).toBe(words);
  });

  it('cannot be judged without data, whatever earlier answers reported', async () => {
    const words = "error NOT_OBSERVED: No token usage data available (connector doesn't provide it).";
    expect(await describeVerdict(tokenBudget, { maxTokens: 9 }, { text: 'Hi' })).toBe(words);
    expect(await describeVerdict(tokenBudget, { maxTokens: 9 }, { text: 'a', tokenUsage: usage }, { text: 'b' })).toBe(
      words,
    );
    expect(inWords(await ask(tokenBudget, { maxTokens: 9 }, nothing))).toBe(words);
  });

  it('counts only the tokens of the answer, not those of other speakers', async () => {
    const ofPersona: TraceEvent = { type: 'usage', at: 0, seenBy: 'engine', inputTokens: 1, outputTokens: 1 };
    const context = contextOf([ofPersona, ...conversationTrace({ text: 'Hi' })]);
    expect(await ask(tokenBudget, { maxTokens: 9 }, context)).toMatchObject({ state: 'error' });
  });

  it('counts all requests of an agent that did a task', async () => {
    const request: TraceEvent = { type: 'usage', at: 0, seenBy: 'agent', inputTokens: 10, outputTokens: 5 };
    const words = inWords(await ask(tokenBudget, { maxTokens: 29 }, contextOf([request, request])));
    expect(words).toBe('fail: 30 / 29 tokens');
  });

  it('is exceeded by the known part alone, and cannot be judged by a part that is within it', async () => {
    const words = async (maxTokens: number) => inWords(await ask(tokenBudget, { maxTokens }, contextOf(partlyKnown)));
    expect(await words(15)).toBe(
      'error NOT_OBSERVED: Not all tokens were observed: 2 requests to m got no reply with figures.',
    );
    expect(await words(14)).toBe('fail: 15 / 14 tokens');
  });

  it('cannot count only the one and only the other', () => {
    const both = { maxTokens: 1, inputOnly: true, outputOnly: true };
    expect(tokenBudget.configSchema.safeParse(both).error?.issues[0]).toMatchObject({ path: ['outputOnly'] });
  });
});

describe('tool-call-budget', () => {
  const turns = [{ text: 'a', tools: ['find', 'find'] }, { text: 'b' }, { text: 'c', tools: ['book'] }];

  it('counts over the whole conversation', async () => {
    expect(await describeVerdict(toolCallBudget, { maxCalls: 3 }, ...turns)).toBe('pass: 3 / 3 tool calls');
    expect(await describeVerdict(toolCallBudget, { maxCalls: 2 }, ...turns)).toBe('fail: 3 / 2 tool calls');
  });

  it('cannot be mended by a later answer', async () => {
    const context = contextOf(conversationTrace(...turns));
    expect(await ask(toolCallBudget, { maxCalls: 2 }, context)).toMatchObject({ isSettled: true, value: 0.5 });
  });

  it('cannot be judged without an answer', async () => {
    expect(await ask(toolCallBudget, { maxCalls: 2 }, nothing)).toMatchObject({ state: 'error' });
  });
});

describe('cost-budget', () => {
  it.each([
    [[0.01, 0.02], 'pass: $0.03 / $0.03'],
    [[0.02, 0.02], 'fail: $0.04 / $0.03'],
    [[0.01, undefined], 'error NOT_OBSERVED: Not all costs were observed: answer 2 did not report its cost.'],
    [[undefined, undefined], 'error NOT_OBSERVED: Not all costs were observed: the target does not report its cost.'],
    [[0.05, undefined], 'fail: $0.05 / $0.03'],
  ])('of %j', async (costs, words) => {
    const turns = costs.map((costUsd) => (costUsd === undefined ? { text: 'a' } : { text: 'a', costUsd }));
    expect(await describeVerdict(costBudget, { maxUsd: 0.03 }, ...turns)).toBe(words);
  });

  it('cannot be judged by the requests of an agent that reported it, where others did not', async () => {
    const words = async (maxUsd: number) => inWords(await ask(costBudget, { maxUsd }, contextOf(partlyKnown)));
    expect(await words(0.03)).toMatch(/^error NOT_OBSERVED: .* 2 requests to m got no reply with figures\.$/);
    expect(await words(0.01)).toBe('fail: $0.02 / $0.01');
  });

  it('cannot be judged without an answer', async () => {
    expect(await ask(costBudget, { maxUsd: 1 }, nothing)).toMatchObject({
      state: 'error',
      error: { code: 'NOT_OBSERVED' },
    });
  });
});

describe('turn-budget', () => {
  it('counts answers', async () => {
    const turns = [{ text: 'a' }, { text: 'b' }];
    expect(await describeVerdict(turnBudget, { maxTurns: 2 }, ...turns)).toBe('pass: 2 / 2 turns');
    expect(await describeVerdict(turnBudget, { maxTurns: 1 }, ...turns)).toBe('fail: 2 / 1 turns');
    expect(await ask(turnBudget, { maxTurns: 1 }, nothing)).toMatchObject({ state: 'error' });
  });
});

describe('budgets', () => {
  it.each([
    [latencyBudget, { maxMs: 1 }],
    [timeToFirstToken, { maxMs: 1 }],
    [tokenBudget, { maxTokens: 1 }],
    [toolCallBudget, { maxCalls: 1 }],
    [costBudget, { maxUsd: 1 }],
    [turnBudget, { maxTurns: 1 }],
  ])('must hold after every answer (%#)', (evaluator, config) => {
    expect(whenOf(evaluator, config)).toBe('every-turn');
    expect(evaluator.configSchema.safeParse({}).success).toBe(false);
  });
});
