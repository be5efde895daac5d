import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../domain/record.ts';
import { finishedTrial } from '../../testing/samples.ts';
import { RunBreakdown } from './run-breakdown.ts';

function record(ordinal: number, changes: Partial<TrialRecord>): TrialRecord {
  return { ...finishedTrial('r', ordinal).record, ...changes };
}

function assertion(state: 'pass' | 'fail' | 'error'): TrialRecord['evaluatorResults'] {
  return [{ type: 'contains', kind: 'assertion', state, success: state === 'pass', reason: '' }];
}

describe('the breakdown of a run', () => {
  it('counts cases alike, leaves reused trials out, and counts what was not judged', () => {
    const breakdown = new RunBreakdown();
    const often = { caseId: 'often', evaluatorResults: assertion('pass') };
    for (const ordinal of [0, 1, 2]) breakdown.add(record(ordinal, often));
    breakdown.add(record(3, { caseId: 'once', outcome: 'fail', evaluatorResults: assertion('fail') }));
    breakdown.add(record(4, { caseId: 'broken', outcome: 'error', evaluatorResults: assertion('error') }));
    breakdown.add(record(5, { ...often, cachedFrom: 'r-0-trial' }));
    expect(breakdown.assertions()).toMatchObject([
      { name: 'contains', rate: { rate: 0.5, trials: 4, passed: 3, cases: 2 }, unjudged: 1 },
    ]);
  });

  it('has means of the means of cases, and no figure for what was not observed', () => {
    const breakdown = new RunBreakdown();
    const add = (ordinal: number, caseId: string, size: number | null) =>
      breakdown.add(record(ordinal, { caseId, metrics: { size } }));
    add(0, 'a', 2);
    add(1, 'a', 4);
    add(2, 'b', 9);
    add(3, 'c', null);
    breakdown.add(record(4, { caseId: 'd', metrics: { lost: null } }));
    const metrics = new Map(breakdown.metrics().map((metric) => [metric.name, metric]));
    expect(metrics.get('size')).toMatchObject({ mean: 6, lowest: 2, highest: 9, trials: 3, missing: 1 });
    expect(metrics.get('lost')).toMatchObject({ mean: null, lowest: null, highest: null, trials: 0, missing: 1 });
  });

  it('puts the tests of a server that did not always pass first', () => {
    const breakdown = new RunBreakdown();
    const test = (testName: string, state: 'pass' | 'fail' | 'error', latency: number) => ({
      ...{ testName, toolName: 'add', kind: 'tool' as const, state, passed: state === 'pass', score: 1 },
      ...{ latency, totalLatency: latency, details: `${testName} ${state}`, retryCount: 0 },
    });
    breakdown.add(record(0, { toolHealth: [test('sums', 'pass', 10), test('fails', 'fail', 4)] }));
    breakdown.add(record(1, { toolHealth: [test('sums', 'pass', 30), test('fails', 'error', 4)] }));
    expect(breakdown.toolHealth()).toMatchObject([
      { test: 'fails', passed: 0, failed: 1, unjudged: 1, problem: 'fails fail' },
      { test: 'sums', passed: 2, failed: 0, unjudged: 0, meanMs: 20, problem: null },
    ]);
  });
});
