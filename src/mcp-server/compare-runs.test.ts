import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../domain/record.ts';
import { openStore } from '../store/open-store.ts';
import { finishedTrial, runHeader } from '../testing/samples.ts';
import { compareRuns } from './compare-runs.ts';

/** Two runs with the given trials, side by side. */
async function compared(a: readonly Partial<TrialRecord>[], b: readonly Partial<TrialRecord>[], withVariants = true) {
  await using store = await openStore('sqlite::memory:', '/');
  for (const [runId, trials] of [['r-a', a] as const, ['r-b', b] as const]) {
    await store.createRun(runHeader(runId, { planned: trials.length }));
    await store.saveTrials(
      trials.map((overrides, ordinal) => {
        const { record, trace } = finishedTrial(runId, ordinal, { outcome: overrides.outcome ?? 'pass' });
        return { record: { ...record, caseId: 'case', ...overrides }, trace };
      }),
    );
  }
  return await compareRuns(store, 'r-a', 'r-b', withVariants);
}

const changes = async (...sides: Parameters<typeof compared>) =>
  (await compared(...sides)).cases.map(({ caseId, change }) => `${caseId} ${change}`);

describe('two runs side by side', () => {
  it.each([
    [['pass'], ['fail'], 'worse'],
    [['fail'], ['pass'], 'better'],
    [['error'], ['pass'], 'better'],
    [['fail'], ['error'], 'same'],
    [['pass', 'fail'], ['pass', 'pass', 'fail', 'fail'], 'same'],
    [['pass', 'fail'], ['pass', 'pass', 'fail'], 'better'],
  ] as const)('%j and %j: %s', async (a, b, change) => {
    const trials = (outcomes: readonly TrialRecord['outcome'][]) =>
      outcomes.map((outcome, index) => ({ outcome, repeat: index + 1 }));
    expect(await changes(trials(a), trials(b))).toEqual([`case ${change}`]);
  });

  it('say what only one of them has', async () => {
    const trials = (...ids: readonly string[]) => ids.map((caseId) => ({ caseId }));
    expect(await changes(trials('one', 'two'), trials('two', 'three'))).toEqual([
      'one only-a',
      'two same',
      'three only-b',
    ]);
  });

  it('tell a trial that did not pass, where there is one', async () => {
    const outcomes = [
      { outcome: 'pass', reason: 'fine' },
      { outcome: 'fail', reason: 'wrong' },
    ] as const;
    const { cases } = await compared([{}], outcomes);
    expect(cases).toMatchObject([{ b: { pass: 1, total: 2, reason: 'wrong' } }]);
  });

  it('pair cases by their variants, unless these are what is compared', async () => {
    const a = [{ variant: { model: 'one' } }];
    const b = [{ variant: { model: 'two' }, outcome: 'fail' as const }];
    expect(await changes(a, b)).toEqual(['case only-a', 'case only-b']);
    expect(await changes(a, b, false)).toEqual(['case worse']);
  });

  it('name the tools whose definitions are others', async () => {
    const a = [{ toolPins: { kept: '1', changed: '1', removed: '1' } }];
    const b = [{ toolPins: { kept: '1', changed: '2', added: '1' } }];
    expect((await compared(a, b)).changedTools).toEqual([
      { scenario: 'sample', tool: 'changed', change: 'changed' },
      { scenario: 'sample', tool: 'removed', change: 'removed' },
      { scenario: 'sample', tool: 'added', change: 'added' },
    ]);
    expect((await compared(a, [{}])).changedTools).toEqual([]);
  });
});
