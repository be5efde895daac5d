import { describe, expect, it } from 'vitest';
import type { UnstampedEvent } from '../../domain/trace.ts';
import { Narration } from './narration.ts';

function narrate(tell: (narration: Narration) => void): readonly UnstampedEvent[] {
  const events: UnstampedEvent[] = [];
  tell(new Narration((event) => events.push(event)));
  return events;
}

describe('what an agent tells', () => {
  it('has each call and its result once', () => {
    const events = narrate((narration) => {
      for (const result of ['first', 'second']) {
        narration.toolCall({ callId: 'a', tool: 't', input: result });
        narration.toolResult({ callId: 'a', result });
      }
    });
    expect(events).toMatchObject([
      { type: 'tool-call', input: 'first' },
      { type: 'tool-result', result: 'first' },
    ]);
  });

  it('has the time that the agent tells, and none for a call that was never told', () => {
    const events = narrate((narration) => {
      narration.toolCall({ callId: 'a', tool: 't', input: {} });
      narration.toolResult({ callId: 'a', durationMs: 1234 });
      narration.toolResult({ callId: 'b' });
    });
    expect(events.slice(1)).toMatchObject([{ durationMs: 1234 }, { durationMs: 0 }]);
  });

  it('has nothing of what is empty', () => {
    const events = narrate((narration) => {
      narration.assistant(' \n');
      narration.reasoning('');
      narration.user('');
      narration.usage({ inputTokens: 0, outputTokens: 0 });
      expect(narration.sawWork).toBe(false);
    });
    expect(events).toEqual([]);
  });

  it('has turns that last until all calls of it are answered', () => {
    narrate((narration) => {
      const call = (callId: string): void => {
        narration.beginTurnUnlessInOne();
        narration.toolCall({ callId, tool: 't', input: {} });
      };
      call('a');
      call('b');
      narration.toolResult({ callId: 'a' });
      call('c');
      expect(narration.turnsBegun).toBe(1);
      narration.toolResult({ callId: 'b' });
      narration.toolResult({ callId: 'c' });
      call('d');
      expect(narration.turnsBegun).toBe(2);
    });
  });
});
