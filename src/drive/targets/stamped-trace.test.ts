import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { UnstampedEvent } from '../../domain/trace.ts';
import { StampedTrace } from './stamped-trace.ts';

const notice = { type: 'notice', message: 'n' } as const;
const seenAt = (at: number, message: string): UnstampedEvent => ({ type: 'notice', seenBy: 'recorder', at, message });
const agentCall = (callId: string): UnstampedEvent => ({
  type: 'tool-call',
  seenBy: 'agent',
  callId,
  tool: 'shell',
  input: {},
});
const agentResult = (callId: string): UnstampedEvent => ({
  type: 'tool-result',
  seenBy: 'agent',
  callId,
  durationMs: 1,
});

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

  it('leaves out the time in which Assay opens things, except for the time limit, and that of its queues', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const trace = new StampedTrace();
    let finish: (text: string) => void = () => undefined;
    const opened = trace.preparing(() => new Promise<string>((resolve) => (finish = resolve)));
    vi.advanceTimersByTime(500);
    expect([trace.elapsedMs, trace.limitedMs]).toEqual([0, 500]);
    finish('open');
    expect(await opened).toBe('open');
    vi.advanceTimersByTime(100);
    expect([trace.elapsedMs, trace.limitedMs]).toEqual([100, 600]);
    trace.leaveOut(40);
    expect([trace.elapsedMs, trace.limitedMs]).toEqual([60, 560]);
  });

  it('counts a preparation within another once', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const trace = new StampedTrace();
    await trace.preparing(async () => {
      vi.advanceTimersByTime(100);
      await trace.preparing(async () => void vi.advanceTimersByTime(50));
      vi.advanceTimersByTime(10);
    });
    expect([trace.elapsedMs, trace.limitedMs]).toEqual([0, 160]);
  });

  it('puts what a recorder reports late into the call of the agent that it happened in', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    /** Each arrives ten milliseconds after the one before. */
    const reported = (...arriving: readonly UnstampedEvent[]): string[] => {
      const trace = new StampedTrace();
      for (const event of arriving) {
        vi.advanceTimersByTime(10);
        trace.emit(event);
      }
      return trace.events.map((event) => (event.type === 'notice' ? event.message : event.type));
    };
    const [call, result] = [agentCall('c1'), agentResult('c1')];
    const expected = ['tool-call', 'first', 'second', 'tool-result'];
    const sightings = (first: number, second: number) => [seenAt(first, 'first'), seenAt(second, 'second')] as const;
    expect(reported(call, ...sightings(12, 14), result)).toEqual(expected);
    expect(reported(call, result, ...sightings(12, 14))).toEqual(expected);
    expect(reported(call, result, agentCall('c2'), ...sightings(12, 14))).toEqual([...expected, 'tool-call']);
    // The report of the call itself was late.
    expect(reported(call, result, ...sightings(4, 6))).toEqual(expected);
  });
});
