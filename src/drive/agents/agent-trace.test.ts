import { describe, expect, it } from 'vitest';
import type { UnstampedEvent } from '../../domain/trace.ts';
import { AgentTrace } from './agent-trace.ts';

function eventsOf(report: (trace: AgentTrace) => void): readonly UnstampedEvent[] {
  const events: UnstampedEvent[] = [];
  report(new AgentTrace((event) => events.push(event)));
  return events;
}

describe('the trace of an agent', () => {
  it('has each call and its result once', () => {
    const events = eventsOf((trace) => {
      for (const result of ['first', 'second']) {
        trace.toolCall({ callId: 'a', tool: 't', input: result });
        trace.toolResult({ callId: 'a', result });
      }
    });
    expect(events).toMatchObject([
      { type: 'tool-call', input: 'first' },
      { type: 'tool-result', result: 'first' },
    ]);
  });

  it('has the time that the agent reports, and none for a call that was never reported', () => {
    const events = eventsOf((trace) => {
      trace.toolCall({ callId: 'a', tool: 't', input: {} });
      trace.toolResult({ callId: 'a', durationMs: 1234 });
      trace.toolResult({ callId: 'b' });
    });
    expect(events.slice(1).map((event) => 'durationMs' in event && event.durationMs)).toEqual([1234, false]);
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
