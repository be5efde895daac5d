import { describe, expect, test } from 'vitest';
import { eventsOf, hasEvent, type TraceEvent } from './trace.ts';

const message = (text: string): TraceEvent => ({ type: 'message', at: 0, seenBy: 'agent', role: 'assistant', text });

describe('Events of a trace', () => {
  test('are found again after it has grown, and in each of several traces', () => {
    const growing: TraceEvent[] = [message('one')];
    const other: TraceEvent[] = [message('other')];
    expect(eventsOf(growing, 'message')).toHaveLength(1);
    expect(hasEvent(growing, 'gap')).toBe(false);
    growing.push(message('two'), { type: 'gap', at: 1, seenBy: 'agent', channels: ['answers'], reason: 'lost' });
    expect(eventsOf(other, 'message').map(({ text }) => text)).toEqual(['other']);
    expect(eventsOf(growing, 'message').map(({ text }) => text)).toEqual(['one', 'two']);
    expect(hasEvent(growing, 'gap')).toBe(true);
  });
});
