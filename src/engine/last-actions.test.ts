import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../domain/run.ts';
import { StampedTrace } from '../drive/targets/stamped-trace.ts';
import { LastActions } from './last-actions.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watching() {
  const emitted: RunEvent[] = [];
  const actions = new LastActions(
    (event) => emitted.push(event),
    (text) => text.replaceAll('s3cret', '[redacted]'),
  );
  return { actions, emitted, texts: () => emitted.flatMap((event) => ('action' in event ? [event.action] : [])) };
}

describe('last actions of running trials', () => {
  it('are what the trace says last, redacted, each once', () => {
    const { actions, texts } = watching();
    const trace = new StampedTrace();
    actions.begin('t-1', trace.events);
    trace.emit({ type: 'tool-call', callId: '1', tool: 'bash', input: {}, shellCommand: 'curl -H s3cret\u001B[2J' });
    vi.advanceTimersByTime(5_000);
    trace.emit({ type: 'tool-result', callId: '1', durationMs: 5, result: 'ok' });
    vi.advanceTimersByTime(5_000);
    trace.emit({ type: 'message', role: 'assistant', text: 'All done' });
    vi.advanceTimersByTime(5_000);
    actions.enter('t-1', 'is evaluated');
    vi.advanceTimersByTime(5_000);
    actions.end('t-1');
    expect(texts()).toEqual(['$ curl -H [redacted]\uFFFD[2J', 'says: All done', 'is evaluated']);
  });

  it('cost nothing for trials that end at once, and leave no timer behind', () => {
    const { actions, emitted } = watching();
    for (let number = 0; number < 100; number++) {
      const trace = new StampedTrace();
      actions.begin(`t-${number}`, trace.events);
      trace.emit({ type: 'tool-call', callId: '1', tool: 'f', input: {} });
      vi.advanceTimersByTime(20);
      actions.end(`t-${number}`);
    }
    vi.advanceTimersByTime(2_000);
    expect(emitted).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
