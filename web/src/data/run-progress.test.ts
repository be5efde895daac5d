import { describe, expect, it } from 'vitest';
import type { TrialItem } from '../../../src/entry/server/api/runs.ts';
import { afterEvent, nothingTold, type Progress } from './run-progress.ts';

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
  };
}

function progress(recent: TrialItem[]): Progress {
  return {
    type: 'progress',
    status: 'running',
    totals: { planned: 10, pass: 0, fail: 0, error: 0, skipped: 10 },
    running: [],
    finishedPerSecond: null,
    secondsLeft: null,
    costUsd: 0,
    cost: { knownUsd: 0, unknownTrials: 0 },
    recent,
  };
}

describe('afterEvent', () => {
  it('keeps what did not pass, the newest first', () => {
    const first = afterEvent(nothingTold, progress([trial('a', 'fail'), trial('b', 'pass')]));
    const second = afterEvent(first, progress([trial('c', 'error')]));
    expect(second.failures.map(({ trialId }) => trialId)).toEqual(['c', 'a']);
  });

  it('is not changed by a failure or a warning that arrives twice', () => {
    const once = afterEvent(nothingTold, progress([trial('a', 'fail')]));
    expect(afterEvent(once, progress([trial('a', 'fail')])).failures).toBe(once.failures);
    const warned = afterEvent(once, { type: 'warning', message: 'slow' });
    expect(afterEvent(warned, { type: 'warning', message: 'slow' })).toBe(warned);
  });

  it('does not grow with the run', () => {
    let known = nothingTold;
    for (let index = 0; index < 200; index += 1) known = afterEvent(known, progress([trial(`t${index}`, 'fail')]));
    expect(known.failures).toHaveLength(20);
    expect(known.failures[0]?.trialId).toBe('t199');
  });
});
