import { describe, expect, it } from 'vitest';
import { type Retention, runsToRemove } from './retention.ts';

const statuses: Readonly<Record<string, 'running' | 'finished'>> = { 'r-1': 'running' };
/** Five runs, of which r-5 is the newest; r-1 goes on, r-2 is a baseline. */
const runs = [5, 4, 3, 2, 1].map((startedAt) => {
  const runId = `r-${startedAt}`;
  return { runId, startedAt, status: statuses[runId] ?? ('finished' as const) };
});
const sizes = new Map(runs.map(({ runId }) => [runId, 10]));
const removed = (limits: Retention) => runsToRemove({ runs, protectedIds: new Set(['r-2']), sizes }, limits);

describe('the runs that exceed a limit', () => {
  it.each<[string, Retention, string[]]>([
    ['no limit', {}, []],
    ['an age', { before: 5 }, ['r-3', 'r-4']],
    ['an age that all exceed', { before: 100 }, ['r-3', 'r-4', 'r-5']],
    ['a number', { runs: 2 }, ['r-3']],
    ['the number 0', { runs: 0 }, ['r-3', 'r-4', 'r-5']],
    ['a size that is not exceeded', { bytes: 50 }, []],
    ['a size', { bytes: 49 }, ['r-3']],
    ['a size below that of one run', { bytes: 1 }, ['r-3', 'r-4']],
    ['an age and a size, which counts what the age leaves', { before: 4, bytes: 40 }, ['r-3']],
    ['a number and a size', { runs: 4, bytes: 35 }, ['r-3', 'r-4']],
  ])('%s', (_what, limits, expected) => {
    expect(removed(limits)).toEqual(expected);
  });
});
