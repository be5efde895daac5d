import { describe, expect, it } from 'vitest';
import type { RunItem } from '../../../../src/entry/server/api/runs.ts';
import { needsAllRuns, newestFirst, sortedRuns } from './run-list.ts';

function run(runId: string, startedAt: number, pass: number, planned: number): RunItem {
  return {
    runId,
    ...{ name: null, tags: [], notes: null, isArchived: false, source: null },
    startedAt,
    finishedAt: startedAt + 1,
    status: 'finished',
    isLive: false,
    execution: null,
    origin: 'run',
    importedFrom: null,
    experiment: null,
    scenarioNames: [],
    scenarioCount: 0,
    totals: { planned, pass, fail: planned - pass, error: 0, skipped: 0, notRun: 0 },
    notJudged: 0,
    marks: {},
    outcome: 'pass',
    reason: '',
    durationMs: planned,
    costUsd: 0,
    cost: { knownUsd: 0, unknownTrials: 0 },
  };
}

const runs = [run('c', 3, 1, 2), run('b', 2, 2, 2), run('a', 1, 0, 4), run('z', 0, 0, 0)];
const ids = (list: readonly RunItem[]): string => list.map(({ runId }) => runId).join('');

describe('sortedRuns', () => {
  it('keeps the order of the server by default', () => {
    expect(sortedRuns(runs, newestFirst)).toBe(runs);
    expect(sortedRuns(runs, { key: 'unknown', direction: 'asc' })).toBe(runs);
    expect(needsAllRuns(newestFirst)).toBe(false);
  });

  it('orders by the chosen column', () => {
    expect(ids(sortedRuns(runs, { key: 'started', direction: 'asc' }))).toBe('zabc');
    expect(ids(sortedRuns(runs, { key: 'passRate', direction: 'desc' }))).toBe('bcaz');
    expect(ids(sortedRuns(runs, { key: 'duration', direction: 'desc' }))).toBe('acbz');
  });

  it('keeps the newest first among equal ones', () => {
    expect(ids(sortedRuns(runs, { key: 'cost', direction: 'asc' }))).toBe('cbaz');
  });
});
