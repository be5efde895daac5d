import { describe, expect, it } from 'vitest';
import type { TrialItem } from '../../../../src/entry/server/api/runs.ts';
import { newestFailures, paceTexts, rateText } from './live-progress.tsx';

describe('rateText', () => {
  it.each([
    [null, 'rate is not known yet'],
    [0, 'rate is not known yet'],
    [120.4, '120 trials per second'],
    [2.25, '2.3 trials per second'],
    [0.5, '30 trials per minute'],
    [0.1, '6.0 trials per minute'],
    [0.001, '3.6 trials per hour'],
  ])('says of %s: %s', (perSecond, text) => {
    expect(rateText(perSecond)).toBe(text);
  });
});

describe('paceTexts', () => {
  it.each([
    [null, null, 0, 'rate is not known yet', 'time left is not known yet'],
    [2, 30, 4_000, '2.0 trials per second', 'about 30 s left'],
    [2, 30, 36_000, 'no trial has finished for 36.0 s', 'time left is not known'],
    [0.05, 200, 36_000, '3.0 trials per minute', 'about 3 min left'],
    [null, null, 60_000, 'no trial has finished for 1 min 0 s', 'time left is not known'],
  ])('says of %s per second and %s s after %s ms: %s, %s', (finishedPerSecond, secondsLeft, quietMs, pace, left) => {
    expect(paceTexts({ finishedPerSecond, secondsLeft }, quietMs)).toEqual([pace, left]);
  });
});

describe('newestFailures', () => {
  const trial = (trialId: string, startedAt: number) => ({ trialId, startedAt, durationMs: 5 }) as TrialItem;

  it('has those from before the page was opened, the newest first and each once', () => {
    const failures = newestFailures([trial('c', 30), trial('b', 20)], [trial('b', 20), trial('a', 10)]);
    expect(failures.map(({ trialId }) => trialId)).toEqual(['c', 'b', 'a']);
  });
});
