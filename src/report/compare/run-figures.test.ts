import { describe, expect, it } from 'vitest';
import { type CaseCounts, noTrials, type RunHeader, summarizeRun } from '../../domain/run.ts';
import { runHeader } from '../../testing/samples.ts';
import { flakyText } from '../presentation/figures.ts';
import { figuresOfSingles, placedRates, runFigures } from './run-figures.ts';

/** Ten cases: six passed, three failed, one could not be judged. */
const counts: CaseCounts[] = Array.from({ length: 10 }, (_, index) => ({
  file: 'sample.yaml',
  scenario: 'sample',
  caseId: `row-${index}`,
  variant: {},
  pass: index < 6 ? 1 : 0,
  fail: index >= 6 && index < 9 ? 1 : 0,
  unjudged: index === 9 ? 1 : 0,
}));

function summaryOf(changes: Partial<RunHeader> = {}, reused = 0) {
  const ended = { finishedAt: 1_700_000_001_000, status: 'finished' as const };
  const run = runHeader('r-1', { ...ended, ...changes });
  return summarizeRun(run, { ...noTrials, pass: 6, fail: 3, error: 1, marks: reused > 0 ? { reused } : {} }, 0);
}

describe('figuresOfSingles', () => {
  it('gives the figures of a run whose cases were tried once each, without a list of them', () => {
    const summary = summaryOf();
    expect(figuresOfSingles(summary)).toEqual(runFigures(summary, counts));
  });

  it.each<[string, Partial<RunHeader>, number]>([
    ['a case may have several trials', { scenarios: [{ ...firstScenario(), repeat: 2, caseCount: 5 }] }, 0],
    ['there are more variants than one', { planned: 20 }, 0],
    ['only some cases were run', { request: { ...runHeader('r').request, only: { runId: 'r-0', cases: [] } } }, 0],
    ['a trial was reused', {}, 1],
  ])('leaves it to the counts of the cases where %s', (_, changes, reused) => {
    expect(figuresOfSingles(summaryOf(changes, reused))).toBeUndefined();
  });
});

describe('the figures of repeats', () => {
  const repeated = summaryOf({ scenarios: [{ ...firstScenario(), repeat: 3, caseCount: 2 }] });
  const tried = (caseId: string, model: string, pass: number, fail: number): CaseCounts => ({
    ...{ file: 'sample.yaml', scenario: 'sample', caseId, variant: { model }, pass, fail, unjudged: 0 },
  });
  const textOf = (...all: readonly CaseCounts[]): string => {
    const { repeats } = runFigures(repeated, all);
    return repeats ? flakyText(repeats) : '';
  };

  it('count a case once, under however many variants it was flaky', () => {
    const [first, second] = [tried('a', 'x', 1, 2), tried('a', 'y', 2, 1)];
    expect(textOf(first, second, tried('b', 'x', 3, 0), tried('b', 'y', 0, 3))).toBe(
      '1 of 2 cases is flaky under at least one variant',
    );
    expect(textOf(first, tried('b', 'x', 3, 0))).toBe('1 of 2 cases is flaky');
    expect(runFigures(repeated, [first, second]).repeats?.unsteady).toHaveLength(2);
  });

  it('do not take variants that differ for repeats that do', () => {
    expect(textOf(tried('a', 'x', 3, 0), tried('a', 'y', 0, 3))).toBe(
      'the only case gave the same result in every repeat of the same variant',
    );
  });
});

function firstScenario() {
  const [scenario] = runHeader('r').scenarios;
  if (!scenario) throw new Error('The sample has a scenario.');
  return scenario;
}

describe('trials in which Assay stood in for something', () => {
  const place = { file: 'f', scenario: 'sample', variant: {}, unjudged: 0 };
  const real: CaseCounts = { ...place, caseId: 'a', pass: 3, fail: 1 };
  const faulted: CaseCounts = {
    ...place,
    caseId: 'a',
    variant: { faults: 'slow' },
    marks: ['faulted'],
    pass: 0,
    fail: 4,
  };
  const reused: CaseCounts = { ...place, caseId: 'a', marks: ['reused'], pass: 9, fail: 0 };

  it('are not in the rate beside trials of the real thing', () => {
    expect(runFigures(summaryOf(), [real, faulted, reused])).toMatchObject({
      ...{ passRate: { rate: 0.75, trials: 4 }, ratedMarks: [] },
    });
  });

  it('have their own rate by variant', () => {
    const rates = placedRates(runHeader('r-1'), [real, faulted]);
    expect(rates.map(({ scenario, variant, rate }) => [scenario, variant, rate])).toEqual([
      ['sample', null, 0.75],
      [null, '', 0.75],
      ['sample', '', 0.75],
      [null, 'faults slow', 0],
      ['sample', 'faults slow', 0],
    ]);
  });

  it('are named by the rate where there are no others', () => {
    const replayed: CaseCounts = { ...real, marks: ['replayed'] };
    const broken: CaseCounts = { ...faulted, marks: ['replayed', 'faulted'] };
    expect(runFigures(summaryOf(), [replayed, broken])).toMatchObject({
      ...{ passRate: { rate: 0.75 }, ratedMarks: ['replayed'] },
    });
  });
});
