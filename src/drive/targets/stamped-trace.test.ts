import { describe, expect, it } from 'vitest';
import { StampedTrace } from './stamped-trace.ts';

const notice = { type: 'notice', message: 'n' } as const;

describe('a stamped trace', () => {
  it('stamps every event with the time since the trial began, seen by the engine unless the event says otherwise', () => {
    const trace = new StampedTrace();
    trace.emit(notice);
    trace.emit({ ...notice, seenBy: 'agent' });
    const [first, second] = trace.events;
    expect(first).toEqual({ at: expect.any(Number), seenBy: 'engine', ...notice });
    expect(second).toMatchObject({ seenBy: 'agent' });
    expect(second?.at).toBeLessThanOrEqual(trace.elapsedMs);
  });

  it('keeps times in order, whatever time a recorder reports', () => {
    const trace = new StampedTrace();
    for (const at of [undefined, 1e9, undefined, 0, undefined, -5, Number.MAX_VALUE]) {
      trace.emit(at === undefined ? notice : { ...notice, at });
    }
    const times = trace.events.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThanOrEqual(trace.elapsedMs);
    expect(times[0]).toBeGreaterThanOrEqual(0);
  });

  it('keeps the time at which a recorder saw an event, where that is in order', () => {
    const trace = new StampedTrace();
    trace.emit({ ...notice, at: 0 });
    expect(trace.events[0]?.at).toBe(0);
  });
});
