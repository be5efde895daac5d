import { describe, expect, it } from 'vitest';
import type { Channel } from '../../domain/capability.ts';
import type { UnstampedEvent } from '../../domain/trace.ts';
import { AgentTrace, ofWork } from './agent-trace.ts';

function eventsOf(report: (trace: AgentTrace) => void): readonly UnstampedEvent[] {
  const events: UnstampedEvent[] = [];
  report(new AgentTrace((event) => events.push(event)));
  return events;
}

describe('the trace of an agent', () => {
  it('has each call and its result once, however often they are reported', () => {
    const events = eventsOf((trace) => {
      for (const durationMs of [1, 2]) {
        trace.toolCall({ callId: 'a', tool: 't', input: { x: 1 } });
        trace.toolResult({ callId: 'a', result: 'r', durationMs });
      }
    });
    expect(events).toMatchObject([
      { type: 'tool-call', input: { x: 1 } },
      { type: 'tool-result', result: 'r' },
    ]);
  });

  it('has another call under the same id as a separate call, and says that the ids are not to be trusted', () => {
    const events = eventsOf((trace) => {
      for (const result of ['first', 'second']) {
        trace.toolCall({ callId: 'a', tool: 't', input: result });
        trace.toolResult({ callId: 'a', result });
      }
    });
    expect(events).toMatchObject([
      { type: 'tool-call', callId: 'a', input: 'first' },
      { type: 'tool-result', result: 'first' },
      { type: 'gap', channels: ['tool-calls', 'tool-results'], reason: 'two different calls have the id a' },
      { type: 'tool-call', callId: 'unnamed-1', input: 'second' },
      { type: 'gap', channels: ['tool-results'], reason: 'the call a has two different results' },
    ]);
  });

  it.each<[string, (trace: AgentTrace) => void, Channel[], RegExp]>([
    [
      'a call without an id',
      (trace) => trace.toolCall({ callId: undefined, tool: 't', input: 1 }),
      ['tool-results'],
      /no id/,
    ],
    [
      'a call of no tool',
      (trace) => trace.toolCall({ callId: 'a', tool: undefined, input: 1 }),
      ['tool-calls'],
      /no tool/,
    ],
    [
      'a result of no call',
      (trace) => trace.toolResult({ callId: 'a' }),
      ['tool-calls', 'tool-results'],
      /not reported: a/,
    ],
    [
      'a call of a sub-agent that was not started',
      (trace) => trace.toolCall({ callId: 'b', tool: 't', input: 1, actor: 'x', parentCallId: 'a' }),
      ['tool-calls'],
      /not reported: a/,
    ],
    [
      'words of a sub-agent that was not started',
      (trace) => trace.subagentMessage({ actor: 'x', parentCallId: 'a', role: 'assistant', text: 'hi' }),
      ['tool-calls'],
      /not reported: a/,
    ],
    ['a kind that is not known', (trace) => trace.unknown('x', {}), [...ofWork], /`x` is not known/],
    ['tokens that cannot be', (trace) => trace.usage({ inputTokens: -1 }), ['usage', 'cost'], /inputTokens is -1/],
    [
      'tokens that contradict each other',
      (trace) => trace.usage({ inputTokens: 1, outputTokens: 2, totalTokens: 9 }),
      ['usage', 'cost'],
      /9 tokens/,
    ],
    ['a cost that cannot be', (trace) => trace.usage({ costUsd: -1 }), ['cost'], /-1/],
    [
      'a reply that ended too early',
      (trace) => trace.stopReason('max_tokens'),
      ['answers', 'tool-calls'],
      /max_tokens/,
    ],
    ['an answer that was never given', (trace) => trace.lastAnswer('hi'), ['answers'], /last answer/],
  ])('has a gap for %s', (_, report, channels, reason) => {
    const gaps = eventsOf((trace) => {
      trace.setPlace('line 7');
      report(trace);
    }).filter(({ type }) => type === 'gap');
    expect(gaps).toEqual([
      { type: 'gap', seenBy: 'agent', channels, reason: expect.stringMatching(reason), place: 'line 7' },
    ]);
  });

  it('has a gap for tokens of 0 after work, which are not known', () => {
    const events = eventsOf((trace) => {
      trace.assistant('hi');
      trace.usage({ inputTokens: 0, outputTokens: 0 });
    });
    expect(events.slice(1)).toMatchObject([{ type: 'gap', channels: ['usage', 'cost'] }]);
  });

  it('has a gap for what was announced and never came, and none for what did', () => {
    const events = eventsOf((trace) => {
      trace.announce('a', ['answers'], 'a is missing');
      trace.arrived('b');
      trace.announce('b', ['answers'], 'b is missing');
      trace.announce('call c', ['tool-calls'], 'c is missing');
      trace.toolCall({ callId: 'c', tool: 't', input: {} });
      trace.endAnnouncements();
    });
    expect(events.filter(({ type }) => type === 'gap')).toMatchObject([{ reason: 'a is missing' }]);
  });

  it('repeats no gap, and ends the list of a flood of them', () => {
    const gaps = eventsOf((trace) => {
      for (let index = 0; index < 2_000; index++) trace.unknown(`kind ${index % 1_000}`, {});
      trace.gap(['cost'], 'last');
    }).filter(({ type }) => type === 'gap');
    expect(gaps).toHaveLength(52);
    expect(gaps.at(-1)).toMatchObject({ channels: ['cost'], reason: 'more was lost than is listed' });
  });

  it('has the time that the agent reports, and none for a call that was never reported', () => {
    const events = eventsOf((trace) => {
      trace.toolCall({ callId: 'a', tool: 't', input: {} });
      trace.toolResult({ callId: 'a', durationMs: 1234 });
      trace.toolResult({ callId: 'b' });
    });
    const results = events.filter(({ type }) => type === 'tool-result');
    expect(results.map((event) => 'durationMs' in event && event.durationMs)).toEqual([1234, false]);
  });

  it('has nothing of what is empty', () => {
    const events = eventsOf((trace) => {
      trace.assistant(' \n');
      trace.reasoning('');
      trace.user('');
      trace.usage({ inputTokens: 0, outputTokens: 0 });
      expect(trace.sawWork).toBe(false);
    });
    expect(events).toEqual([]);
  });

  it('has turns that last until all calls of it are answered', () => {
    eventsOf((trace) => {
      const call = (callId: string): void => {
        trace.beginTurnUnlessInOne();
        trace.toolCall({ callId, tool: 't', input: {} });
      };
      call('a');
      call('b');
      trace.toolResult({ callId: 'a' });
      call('c');
      expect(trace.turnsBegun).toBe(1);
      trace.toolResult({ callId: 'b' });
      trace.toolResult({ callId: 'c' });
      call('d');
      expect(trace.turnsBegun).toBe(2);
    });
  });
});
