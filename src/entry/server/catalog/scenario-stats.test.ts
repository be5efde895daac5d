import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../../domain/record.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import { finishedTrial, runHeader } from '../../../testing/samples.ts';
import type { ScenarioStats } from '../api/stats.ts';
import { RunCache } from '../run-cache.ts';

const [sample] = runHeader('sample').scenarios;

describe('figures of a scenario', () => {
  let served: ServedProject;
  beforeAll(async () => {
    served = await serveFiles();
  });
  afterAll(() => served[Symbol.asyncDispose]());

  async function keep(
    runId: string,
    scenario: string,
    records: readonly Partial<TrialRecord>[],
    header: Partial<RunHeader> = {},
  ): Promise<void> {
    if (!sample) throw new Error('The sample has no scenario.');
    const scenarios = [{ ...sample, name: scenario }];
    const ended = { status: 'finished', finishedAt: 1_700_000_060_000, scenarios, planned: records.length } as const;
    await served.context.store.createRun(runHeader(runId, { ...ended, ...header }));
    const trials = records.map((more, ordinal) => {
      const { record, trace } = finishedTrial(runId, ordinal);
      return { record: { ...record, scenario, ...more }, trace };
    });
    await served.context.store.saveTrials(trials);
  }

  const statsOf = (scenario: string) =>
    served.get<ScenarioStats>(`/api/scenario-stats?scenario=${encodeURIComponent(scenario)}`);

  it('come from runs that ran it, the oldest first, without what a run did not measure itself', async () => {
    const usage = { inputTokens: 100, outputTokens: 40 };
    await keep('r-1', 'Booking', [
      {
        outcome: 'pass',
        durationMs: 10,
        usage,
        targetUsage: { inputTokens: 60, outputTokens: 20 },
        compositeScore: 0.75,
      },
      { outcome: 'fail', durationMs: 30, usage: null, compositeScore: 0.25 },
      { outcome: 'pass', durationMs: 9_000, usage, cachedFrom: 'earlier' },
      { outcome: 'error', durationMs: 5_000, usage, isReplayed: true },
      { outcome: 'pass', durationMs: null, usage: null },
    ]);
    await keep('r-2', 'Booking', [{ outcome: 'error', durationMs: null, usage: null }], {
      startedAt: 1_800_000_000_000,
    });
    await keep('r-3', 'Booking more', [{ outcome: 'pass' }]);
    const { request } = runHeader('r-4');
    const origin = { kind: 'import', format: 'x', file: 'x' } as const;
    await keep('r-4', 'Booking', [{ outcome: 'pass' }], { request: { ...request, origin } });
    await keep('r-5', 'Booking', [{ outcome: 'pass' }], { status: 'running', finishedAt: null });

    const { runs } = await statsOf('Booking');
    expect(runs.map(({ runId }) => runId)).toEqual(['r-1', 'r-2']);
    expect(runs[0]).toMatchObject({
      totals: { pass: 3, fail: 1, error: 1 },
      passRate: { judged: 3 },
      latency: { trials: 2, meanMs: 20, medianMs: 10, p95Ms: 30, slowestMs: 30 },
      tokens: { trials: 1, meanInput: 60, meanOutput: 20 },
      isCut: false,
    });
    const score = { lowest: 0.25, highest: 0.75, missing: 0, unit: 'share' };
    expect(runs[0]?.scores).toContainEqual({ name: 'composite-score', mean: 0.5, trials: 2, ...score });
    expect(runs[0]?.scores.map(({ name }) => name)).not.toContain('duration-ms');
    expect(runs[1]?.scores).toEqual([]);
    expect(runs[0]?.trials.map(({ durationMs }) => durationMs)).toEqual([10, 30, null, null, null]);
    expect(runs[1]).toMatchObject({ passRate: null, latency: null, tokens: null });
  });

  it('of a run are read once, by any server', async () => {
    await keep('r-once', 'Once', [{ outcome: 'pass', compositeScore: 0.5 }]);
    const { context } = served;
    const first = await statsOf('Once');
    Object.assign(context, { runCache: new RunCache(context.store) });
    const { readTrials } = context.store;
    context.store.readTrials = () => Promise.reject(new Error('A trial was read.'));
    expect(await statsOf('Once')).toEqual(first);
    context.store.readTrials = readTrials;
    expect(first.runs).toHaveLength(1);
  });

  it('are empty for a scenario that never ran, and need its name', async () => {
    expect(await statsOf('Never')).toEqual({ scenario: 'Never', runs: [] });
    expect((await served.request('/api/scenario-stats')).status).toBe(400);
  });

  it('say when they rest on a part of many trials', async () => {
    await keep(
      'r-large',
      'Large',
      Array.from({ length: 501 }, (_, index) => ({ outcome: 'pass', durationMs: index })),
    );
    const [run] = (await statsOf('Large')).runs;
    expect(run).toMatchObject({ isCut: true, totals: { pass: 501 }, latency: { trials: 500, slowestMs: 499 } });
  });
});
