import { describe, expect, it } from 'vitest';
import { unansweredEvents } from '../../../domain/costs.ts';
import type { TraceEvent } from '../../../domain/trace.ts';
import { ask, contextOf, describeVerdict, inWords } from '../../../testing/fakes/score/conversation.ts';
import type { Evaluator } from '../evaluator.ts';
import { latency, responseLength, timeToFirstTokenMs, tokenUsage, toolCallCount, turnCount } from './turn-metrics.ts';

const usage = { input: 300, output: 556, total: 856 };
const stamp = { at: 0, seenBy: 'agent' } as const;

describe('metrics of an answer', () => {
  it.each([
    [toolCallCount, {}, { text: 'a', tools: ['find', 'book'] }, 'measured 2: 2 tool call(s) in this turn: find, book'],
    [toolCallCount, {}, { text: 'a' }, "measured 0: No tool calls (or connector doesn't support tool_calls)"],
    [tokenUsage, {}, { text: 'a', tokenUsage: usage }, 'measured 856: Token usage: 856 (300 in / 556 out)'],
    [
      tokenUsage,
      { track: 'input' },
      { text: 'a', tokenUsage: usage },
      'measured 300: Token usage: 856 (300 in / 556 out)',
    ],
    [
      tokenUsage,
      { track: 'output' },
      { text: 'a', tokenUsage: usage },
      'measured 556: Token usage: 856 (300 in / 556 out)',
    ],
    [tokenUsage, {}, { text: 'a' }, "no-data: No token usage data available (connector doesn't provide it)"],
    [responseLength, {}, { text: 'a 👍 b' }, 'measured 5: 5 characters'],
    [responseLength, { unit: 'words' }, { text: ' one  two\nthree ' }, 'measured 3: 3 words'],
    [responseLength, {}, { text: 'x'.repeat(1_234) }, 'measured 1234: 1,234 characters'],
    [responseLength, { unit: 'words' }, { text: '' }, 'measured 0: 0 words'],
    [responseLength, {}, {}, 'no-data: No assistant message to measure'],
    [turnCount, {}, { text: 'a' }, 'measured 1: 1 turn'],
    [latency, {}, { text: 'a', latencyMs: 1_234 }, 'measured 1234: Answered after 1,234ms'],
    [timeToFirstTokenMs, {}, { text: 'a', timeToFirstTokenMs: 85 }, 'measured 85: First token after 85ms'],
    [timeToFirstTokenMs, {}, { text: 'a' }, "no-data: No time to first token available (connector doesn't provide it)"],
  ])('%#', async (evaluator, config, turn, words) => {
    expect(await describeVerdict(evaluator, config, turn)).toBe(words);
  });

  it.each([
    [toolCallCount, "no-data: No tool calls (or connector doesn't support tool_calls)"],
    [tokenUsage, "no-data: No token usage data available (connector doesn't provide it)"],
    [responseLength, 'no-data: No assistant message to measure'],
    [turnCount, 'no-data: No answer to count'],
    [latency, 'no-data: No answer to measure'],
    [timeToFirstTokenMs, "no-data: No time to first token available (connector doesn't provide it)"],
  ])('say why there is no figure where there is no answer (%#)', async (evaluator: Evaluator, words) => {
    expect(inWords(await ask(evaluator, {}, contextOf([])))).toBe(words);
  });

  it('count the tools and tokens of an agent that did a task, not the call of a tool under test', async () => {
    const call = { type: 'tool-call', callId: 'c', tool: 'shell', input: {} } as const;
    const request = { type: 'usage', ...stamp, inputTokens: 7, outputTokens: 3 } as const;
    const task: TraceEvent[] = [{ ...call, ...stamp }, request, { ...call, ...stamp }, request];
    expect(await ask(toolCallCount, {}, contextOf(task))).toMatchObject({ value: 2 });
    expect(await ask(tokenUsage, {}, contextOf(task))).toMatchObject({ value: 20 });
    expect(await ask(toolCallCount, {}, contextOf([{ ...call, at: 0, seenBy: 'engine' }]))).toMatchObject({ value: 0 });
  });

  it('have no figure for the tokens of an agent of which a part is unknown', async () => {
    const request = { type: 'usage', ...stamp, inputTokens: 7, outputTokens: 3 } as const;
    const lost = unansweredEvents('m', 1, 'target').map((event) => ({ ...event, ...stamp }) as TraceEvent);
    const words = inWords(await ask(tokenUsage, {}, contextOf([request, ...lost])));
    expect(words).toBe('no-data: Not all tokens were observed: 1 request to m got no reply with figures.');
  });

  it('look at one answer each, and say how several become one', async () => {
    const turns = [
      { text: 'a', tools: ['find'] },
      { text: 'bb', tools: ['book', 'pay'] },
    ];
    expect(await describeVerdict(toolCallCount, {}, ...turns)).toContain('measured 2');
    expect(await describeVerdict(turnCount, {}, ...turns)).toBe('measured 2: 2 turns');
    const metrics = [toolCallCount, tokenUsage, responseLength, turnCount, latency, timeToFirstTokenMs];
    expect(metrics.map(({ aggregate }) => aggregate)).toEqual(['sum', 'sum', 'mean', 'last', 'mean', 'mean']);
  });
});
