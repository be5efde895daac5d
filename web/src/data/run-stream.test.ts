import { describe, expect, it } from 'vitest';
import type { RunStreamEvent, TrialItem } from '../../../src/entry/server/api/runs.ts';
import { afterEvent, followRun, noEvents, type Progress } from './run-stream.ts';
import type { StreamSource } from './shared-stream.ts';

class FakeSource extends EventTarget implements StreamSource {
  readyState = 0;
  isClosedByClient = false;

  emit(event: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(event) }));
  }

  /** `isFinal` as when the server refuses; otherwise the source comes back by itself. */
  breakOff(isFinal: boolean): void {
    this.readyState = isFinal ? 2 : 0;
    this.dispatchEvent(new Event('error'));
  }

  close(): void {
    this.isClosedByClient = true;
  }
}

function following() {
  const sources: FakeSource[] = [];
  const events: RunStreamEvent[] = [];
  const opened: boolean[] = [];
  const waits: { readonly callback: () => void; readonly ms: number; isCancelled: boolean }[] = [];
  const stop = followRun({
    open: () => {
      const source = new FakeSource();
      sources.push(source);
      return source;
    },
    onEvent: (event) => events.push(event),
    onOpen: (isOpen) => opened.push(isOpen),
    wait: (callback, ms) => {
      const wait = { callback, ms, isCancelled: false };
      waits.push(wait);
      return () => {
        wait.isCancelled = true;
      };
    },
  });
  return { sources, events, opened, waits, stop };
}

describe('followRun', () => {
  it('delivers events, and reports that the stream is open', () => {
    const { sources, events, opened } = following();
    sources[0]?.dispatchEvent(new Event('open'));
    sources[0]?.emit({ type: 'warning', message: 'slow' });
    expect(opened).toEqual([true]);
    expect(events).toEqual([{ type: 'warning', message: 'slow' }]);
  });

  it('leaves a source alone that comes back by itself', () => {
    const { sources, opened, waits } = following();
    sources[0]?.breakOff(false);
    sources[0]?.dispatchEvent(new Event('open'));
    expect(opened).toEqual([false, true]);
    expect(sources).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  it('opens another after a while when it was refused, and waits longer each time', () => {
    const { sources, events, waits } = following();
    sources[0]?.breakOff(true);
    waits[0]?.callback();
    sources[1]?.breakOff(true);
    waits[1]?.callback();
    sources[2]?.emit({ type: 'warning', message: 'back' });
    expect(sources).toHaveLength(3);
    expect(waits[1]?.ms).toBeGreaterThan(waits[0]?.ms ?? 0);
    expect(events).toHaveLength(1);
  });

  it('ends with the run', () => {
    const { sources, waits } = following();
    sources[0]?.emit({ type: 'failed', error: { error: 'broke', code: 'X' } });
    sources[0]?.breakOff(true);
    expect(sources[0]?.isClosedByClient).toBe(true);
    expect(waits).toEqual([]);
  });

  it('opens nothing any more once it was stopped', () => {
    const { sources, waits, stop } = following();
    sources[0]?.breakOff(true);
    stop();
    expect(waits[0]?.isCancelled).toBe(true);
  });

  it('passes over what it does not understand', () => {
    const { sources, events } = following();
    sources[0]?.dispatchEvent(new MessageEvent('message', { data: '{' }));
    sources[0]?.emit({ type: 'of the future' });
    sources[0]?.emit(null);
    expect(events).toEqual([]);
  });
});

function trial(trialId: string, outcome: TrialItem['outcome']): TrialItem {
  return {
    trialId,
    runId: 'r',
    ordinal: 0,
    scenario: 's',
    file: 's.yaml',
    caseId: '1',
    variant: {},
    repeat: 0,
    outcome,
    reason: '',
    faultCode: null,
    startedAt: 0,
    durationMs: 1,
    costUsd: 0,
    inputTokens: null,
    outputTokens: null,
    marks: [],
  };
}

function progress(recent: TrialItem[]): Progress {
  return {
    type: 'progress',
    status: 'running',
    totals: { planned: 10, pass: 0, fail: 0, error: 0, skipped: 0, notRun: 10 },
    round: null,
    running: [],
    finishedPerSecond: null,
    lastFinishedAt: null,
    secondsLeft: null,
    costUsd: 0,
    cost: { knownUsd: 0, unknownTrials: 0 },
    recent,
  };
}

describe('afterEvent', () => {
  it('keeps what did not pass, the newest first', () => {
    const first = afterEvent(noEvents, progress([trial('a', 'fail'), trial('b', 'pass')]));
    const second = afterEvent(first, progress([trial('c', 'error')]));
    expect(second.failures.map(({ trialId }) => trialId)).toEqual(['c', 'a']);
  });

  it('is not changed by a failure or a warning that arrives twice', () => {
    const once = afterEvent(noEvents, progress([trial('a', 'fail')]));
    expect(afterEvent(once, progress([trial('a', 'fail')])).failures).toBe(once.failures);
    const warned = afterEvent(once, { type: 'warning', message: 'slow' });
    expect(afterEvent(warned, { type: 'warning', message: 'slow' })).toBe(warned);
  });

  it('does not grow with the run', () => {
    let events = noEvents;
    for (let index = 0; index < 200; index += 1) events = afterEvent(events, progress([trial(`t${index}`, 'fail')]));
    expect(events.failures).toHaveLength(20);
    expect(events.failures[0]?.trialId).toBe('t199');
  });
});
