import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { noCost } from '../../../domain/cost-sum.ts';
import type { Outcome } from '../../../domain/outcome.ts';
import { summarizeRun } from '../../../domain/run.ts';
import { noTokens } from '../../../domain/token-sum.ts';
import { finishedTrial, runHeader } from '../../../testing/samples.ts';
import type { RunStreamEvent } from '../api/runs.ts';
import { LiveRun } from './live-run.ts';

const nothing = {
  pass: 0,
  fail: 0,
  error: 0,
  skipped: 0,
  fileFaults: 0,
  notJudged: 0,
  cost: noCost,
  tokens: noTokens,
  marks: {},
};
const run = runHeader('r-1', { planned: 1_000 });

describe('LiveRun', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A run that has begun, and all events that it publishes. */
  function begin(before = nothing): { readonly live: LiveRun; published(): Promise<RunStreamEvent[]> } {
    const live = new LiveRun(before);
    const events = readAll(live);
    live.listen({ type: 'run-started', run, alreadyStored: 0, concurrency: 1 });
    const published = () => {
      live.feed.close();
      return events;
    };
    return { live, published };
  }

  function finish(live: LiveRun, ordinal: number, outcome: Outcome = 'pass'): void {
    const { record } = finishedTrial('r-1', ordinal, { outcome });
    const { trialId, scenario, caseId, variant, repeat } = record;
    live.listen({ type: 'trial-started', trialId, scenario, caseId, variant, repeat });
    live.listen({ type: 'trial-finished', record });
  }

  it('publishes at most four times a second, however fast trials finish', async () => {
    const { live, published } = begin();
    for (let ordinal = 0; ordinal < 1_000; ordinal += 1) {
      finish(live, ordinal, ordinal === 500 ? 'fail' : 'pass');
      vi.advanceTimersByTime(2);
    }
    vi.advanceTimersByTime(250);
    const events = await published();
    expect(events.length).toBeLessThanOrEqual(10);
    expect(events.at(-1)).toMatchObject({ totals: { planned: 1_000, pass: 999, fail: 1, notRun: 0 }, running: [] });
    const recent = events.flatMap((event) => (event.type === 'progress' ? event.recent : []));
    expect(recent.filter(({ outcome }) => outcome === 'fail')).toHaveLength(1);
    expect(recent.length).toBeLessThanOrEqual(20 * events.length);
  });

  it('reports its rate and the remaining time', async () => {
    const { live, published } = begin();
    for (let ordinal = 0; ordinal < 100; ordinal += 1) {
      finish(live, ordinal);
      vi.advanceTimersByTime(100);
    }
    const [last] = (await published()).slice(-1);
    if (last?.type !== 'progress') throw new Error('There is progress.');
    expect(last.finishedPerSecond).toBeCloseTo(10, 0);
    expect(last.secondsLeft).toBeCloseTo(last.totals.notRun / 10, -1);
  });

  it('goes on from what was stored before', async () => {
    const { live, published } = begin({ ...nothing, pass: 400, fail: 2, cost: { knownUsd: 3, unknownTrials: 0 } });
    finish(live, 402);
    vi.advanceTimersByTime(500);
    expect((await published()).at(-1)).toMatchObject({ totals: { pass: 401, fail: 2, notRun: 597 }, costUsd: 3.25 });
  });

  it('passes warnings on, but no flood of them', async () => {
    const { live, published } = begin();
    vi.advanceTimersByTime(500);
    for (let count = 0; count < 1_000; count += 1) live.listen({ type: 'warning', message: `number ${count}` });
    vi.advanceTimersByTime(500);
    const warnings = (await published()).flatMap((event) => (event.type === 'warning' ? [event.message] : []));
    expect(warnings).toHaveLength(20);
    expect(warnings.at(-1)).toContain('more warnings');
  });

  it('publishes how it ended, or that it broke', async () => {
    const { live, published } = begin();
    finish(live, 0);
    const ended = { ...run, status: 'finished', finishedAt: 1 } as const;
    live.listen({ type: 'run-finished', summary: summarizeRun(ended, { ...nothing, pass: 1 }, 1) });
    live.finish();
    expect((await published()).map(({ type }) => type)).toEqual(['progress', 'finished']);
    const { live: broken, published: publishedByBroken } = begin();
    broken.fail(new Error('the disk is full'));
    expect((await publishedByBroken()).at(-1)).toMatchObject({ type: 'failed', error: { error: 'the disk is full' } });
  });
});

async function readAll(live: LiveRun): Promise<RunStreamEvent[]> {
  const events: RunStreamEvent[] = [];
  for await (const { event } of live.feed.read(undefined, new AbortController().signal)) events.push(event);
  return events;
}
