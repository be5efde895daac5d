import { expect, it } from 'vitest';
import type { Store } from '../../keep/store/store.ts';
import { finishedTrial } from '../samples.ts';

/** Trials are counted once, by run and by scenario. */
export function describeTotals(store: () => Store): void {
  it('counts outcomes, faults of the user, cost and tokens', async () => {
    await store().saveTrials([
      finishedTrial('r-1', 0),
      finishedTrial('r-1', 1, { outcome: 'fail' }),
      finishedTrial('r-1', 2, { outcome: 'error', withFault: true }),
      finishedTrial('r-2', 0),
    ]);
    expect(await store().countTrials('r-1')).toEqual({
      pass: 1,
      fail: 1,
      error: 1,
      skipped: 0,
      fileFaults: 1,
      notJudged: 0,
      cost: { knownUsd: 0.75, unknownTrials: 0 },
      tokens: { knownInput: 30, knownOutput: 15, unknownTrials: 0 },
      marks: {},
    });
    expect(await store().countTrials('r-none')).toMatchObject({
      pass: 0,
      fail: 0,
      error: 0,
      cost: { knownUsd: 0, unknownTrials: 0 },
      tokens: { knownInput: 0, knownOutput: 0, unknownTrials: 0 },
    });
  });

  it('counts a trial once, however often and by however many it is saved', async () => {
    const trials = Array.from({ length: 50 }, (_, index) => finishedTrial('r-1', index));
    await Promise.all([trials, trials.slice(20), [...trials].reverse()].map((some) => store().saveTrials(some)));
    await store().saveTrials([finishedTrial('r-1', 50), finishedTrial('r-1', 50)]);
    expect(await store().countTrials('r-1')).toMatchObject({
      pass: 51,
      cost: { knownUsd: 12.75, unknownTrials: 0 },
      tokens: { knownInput: 510, unknownTrials: 0 },
    });
    expect(await store().countByScenario('r-1')).toMatchObject([{ firstOrdinal: 0, lastOrdinal: 50, pass: 51 }]);
  });

  it('counts by scenario in plan order', async () => {
    await store().saveTrials([
      finishedTrial('r-1', 2, { scenario: 'alpha' }),
      finishedTrial('r-1', 1, { scenario: 'zeta', outcome: 'fail' }),
      finishedTrial('r-1', 0, { scenario: 'zeta' }),
    ]);
    expect(await store().countByScenario('r-1')).toMatchObject([
      { scenario: 'zeta', firstOrdinal: 0, lastOrdinal: 1, pass: 1, fail: 1, error: 0 },
      { scenario: 'alpha', firstOrdinal: 2, lastOrdinal: 2, pass: 1, fail: 0, error: 0 },
    ]);
  });
  describeMarks(store);
}

function describeMarks(store: () => Store): void {
  it('counts trials that were taken over from earlier runs', async () => {
    const { record, trace } = finishedTrial('r-1', 0);
    await store().saveTrials([{ trace, record: { ...record, cachedFrom: 't-earlier' } }, finishedTrial('r-1', 1)]);
    expect(await store().countTrials('r-1')).toMatchObject({ pass: 2, marks: { reused: 1 } });
    expect(await store().countByCell('r-1')).toMatchObject([{ pass: 2, marks: { reused: 1 } }]);
  });

  it('counts judged trials by what Assay stood in for, and keeps them apart by case', async () => {
    const { record, trace } = finishedTrial('r-1', 0);
    const broken = { ...record, control: { replay: 2, fault: 0 } };
    await store().saveTrials([
      { trace, record: { ...record, control: { replay: 2 } } },
      { trace, record: { ...broken, trialId: 't-1', ordinal: 1, outcome: 'fail' } },
      { trace, record: { ...broken, trialId: 't-2', ordinal: 2, outcome: 'error' } },
      { trace, record: { ...record, trialId: 't-3', ordinal: 3 } },
    ]);
    const marks = { replayed: 2, faulted: 1 };
    expect(await store().countTrials('r-1')).toMatchObject({ pass: 2, fail: 1, error: 1, marks });
    expect(await store().countByScenario('r-1')).toMatchObject([{ marks }]);
    expect([...(await store().countByCase('r-1'))]).toMatchObject([
      { marks: ['replayed'], pass: 1, fail: 0, unjudged: 0 },
      { marks: ['replayed', 'faulted'], pass: 0, fail: 1, unjudged: 1 },
      { pass: 1 },
    ]);
    const { items } = await store().readTrialRows('r-1', { limit: 9 });
    expect(items.map((row) => row.marks.join())).toEqual(['replayed', 'replayed,faulted', 'replayed,faulted', '']);
  });
}

/** Sums are exact, and an unreported figure is never a zero. */
export function describeFigures(store: () => Store): void {
  it('counts judged trials whose agent was ended by its time limit', async () => {
    const timedOut = (ordinal: number, outcome: 'pass' | 'fail' | 'error') => {
      const { record, trace } = finishedTrial('r-1', ordinal, { outcome });
      return { trace, record: { ...record, timedOut: true as const } };
    };
    await store().saveTrials([timedOut(0, 'pass'), timedOut(1, 'fail'), timedOut(2, 'error'), finishedTrial('r-1', 3)]);
    expect(await store().countTrials('r-1')).toMatchObject({ pass: 2, fail: 1, error: 1, timedOut: 2 });
  });

  it('sums up the same whatever order trials are stored in', async () => {
    const costs = [0.1, 0.2, 0.3, 1e-7, 123.456, 0.7];
    const priced = (runId: string) =>
      costs.map((costUsd, index) => {
        const { record, trace } = finishedTrial(runId, index);
        return { trace, record: { ...record, costUsd, durationMs: costUsd } };
      });
    for (const trial of priced('r-1')) await store().saveTrials([trial]);
    await store().saveTrials(priced('r-2').reverse());
    expect((await store().countTrials('r-1')).cost).toEqual({ knownUsd: 124.7560001, unknownTrials: 0 });
    expect(await store().countTrials('r-2')).toEqual(await store().countTrials('r-1'));
    expect(await store().countByCell('r-2')).toEqual(await store().countByCell('r-1'));
  });

  it('distinguishes an unreported value from zero', async () => {
    const reported = finishedTrial('r-1', 0);
    const { record, trace } = finishedTrial('r-1', 1);
    const metrics = { 'token-usage': null, answered: 0 };
    const silent = { ...record, costUsd: null, durationMs: null, usage: null, metrics };
    await store().saveTrials([{ record: silent, trace }]);
    expect(await store().findTrial(silent.trialId)).toEqual(silent);
    expect(await store().countTrials('r-1')).toMatchObject({
      cost: { knownUsd: 0, unknownTrials: 1 },
      tokens: { knownInput: 0, knownOutput: 0, unknownTrials: 1 },
    });
    await store().saveTrials([reported]);
    const cost = { knownUsd: 0.25, unknownTrials: 1 };
    const tokens = { knownInput: 10, knownOutput: 5, unknownTrials: 1 };
    expect(await store().countTrials('r-1')).toMatchObject({ cost, tokens });
    expect(await store().countByScenario('r-1')).toMatchObject([{ pass: 2, durationMs: null }]);
    expect(await store().countByCell('r-1')).toMatchObject([{ pass: 2, durationMs: null, costUsd: null }]);
    const free = finishedTrial('r-2', 0);
    await store().saveTrials([{ ...free, record: { ...free.record, costUsd: 0 } }]);
    expect(await store().countTrials('r-2')).toMatchObject({ cost: { knownUsd: 0, unknownTrials: 0 } });
    expect(await store().countByCell('r-2')).toMatchObject([{ costUsd: 0 }]);
  });

  it('takes whatever figures a model claims', async () => {
    const { record, trace } = finishedTrial('r-1', 0);
    const odd = { ...record, usage: { inputTokens: 3e15, outputTokens: 1.5 }, costUsd: 1e9, durationMs: 1e12 };
    await store().saveTrials([{ record: odd, trace }]);
    expect(await store().findTrial(record.trialId)).toEqual(odd);
    const tokens = { knownInput: 3e15, knownOutput: 1.5, unknownTrials: 0 };
    expect(await store().countTrials('r-1')).toMatchObject({ tokens, cost: { knownUsd: 1e9, unknownTrials: 0 } });
  });
}
