import { describe, expect, it } from 'vitest';
import type { Variant } from '../../../../src/domain/variant.ts';
import type { Cell } from '../../../../src/entry/server/api/runs.ts';
import type { MetricComparison } from '../../../../src/report/compare/comparison.ts';
import { widestAnswer } from '../../../../src/report/compare/figure-words.ts';
import { changedCompare, compareTab, comparisonRequest, runsOf, variantChoices } from './compare-request.ts';
import { drawnInterval } from './figures.ts';

function cell(variant: Variant): Cell {
  const counts = { pass: 1, fail: 0, error: 0, skipped: 0, notJudged: 0, marks: {}, durationMs: 1, costUsd: 0 };
  return { scenario: 's', file: 's.yaml', variant, ...counts };
}

function metric(part: Partial<MetricComparison>): MetricComparison {
  return {
    name: 'pass-rate',
    unit: 'share',
    isHigherBetter: true,
    smallestDifference: 0.05,
    cases: 10,
    pairs: 10,
    units: 10,
    unitKind: 'case',
    repeats: { fewest: 1, most: 1 },
    informative: 4,
    meanA: 0.5,
    meanB: 0.7,
    difference: 0.2,
    interval: { low: -0.1, high: 0.5 },
    pValue: 0.2,
    adjustedP: 0.2,
    answer: 'not-enough-data',
    isLessThanMatters: false,
    typical: null,
    level: 0.05,
    onTheseTasks: {
      ...{ cases: 10, trialsA: 10, trialsB: 10, isRatio: false, difference: 0.2, interval: undefined },
      ...{ pValue: 0.2, level: 0.05, answer: 'not-enough-data' },
    },
    caution: null,
    plan: undefined,
    ...part,
  };
}

describe('variantChoices', () => {
  it('offers what the variants of a run differ in, and nothing else', () => {
    const cells = [
      cell({ agent: 'scripted', guidance: 'good' }),
      cell({ agent: 'scripted', guidance: 'bad' }),
      cell({ agent: 'scripted', guidance: 'good' }),
    ];
    expect(variantChoices(cells)).toEqual([{ by: 'guidance', values: ['good', 'bad'] }]);
    expect(variantChoices([cell({})])).toEqual([]);
  });
});

describe('comparisonRequest', () => {
  it('asks only when both sides are chosen', () => {
    expect(comparisonRequest({ a: 'r1' })).toBeUndefined();
    expect(comparisonRequest({ a: 'r1', b: 'r2' })).toEqual({ a: 'r1', b: 'r2' });
    expect(comparisonRequest({ a: 'r1', b: 'r2', force: 'true' })).toEqual({ a: 'r1', b: 'r2', force: true });
    expect(comparisonRequest({ a: 'r1', by: 'model', valueA: 'x' })).toBeUndefined();
    expect(comparisonRequest({ a: 'r1', by: 'model', valueA: 'x', valueB: 'y' })).toEqual({
      a: 'r1',
      by: 'model',
      valueA: 'x',
      valueB: 'y',
    });
  });

  it('keeps the rest of the address and takes out what is undefined', () => {
    expect(changedCompare({ a: 'r1', left: 't1', right: 't2' }, { left: undefined, b: 'r2' })).toEqual({
      a: 'r1',
      right: 't2',
      b: 'r2',
    });
  });
});

describe('several runs', () => {
  it('are what the address names, the reference first, and no question about two', () => {
    const search = { runs: 'r1,r2,,r3', a: 'r0' };
    expect([compareTab(search), runsOf(search), comparisonRequest(search)]).toEqual([
      'several',
      ['r1', 'r2', 'r3'],
      undefined,
    ]);
    expect([compareTab({}), compareTab({ by: 'model' }), compareTab({ tab: 'several' })]).toEqual([
      'runs',
      'variants',
      'several',
    ]);
  });
});

describe('widestAnswer', () => {
  it('is that on the few tasks where the figure alone is undecided', () => {
    const onTheseTasks = {
      cases: 1,
      trialsA: 9,
      trialsB: 9,
      isRatio: false,
      difference: 0.5,
      interval: undefined,
      pValue: 0.01,
      level: 0.05,
    };
    expect(widestAnswer(metric({ onTheseTasks: { ...onTheseTasks, answer: 'better' } }))).toEqual({
      answer: 'better',
      text: 'better on this task',
    });
    expect(widestAnswer(metric({ onTheseTasks: { ...onTheseTasks, answer: 'not-enough-data' } })).answer).toBe(
      'not-enough-data',
    );
    expect(widestAnswer(metric({ answer: 'worse', onTheseTasks: { ...onTheseTasks, answer: 'better' } })).text).toBe(
      'worse',
    );
  });
});

describe('drawnInterval', () => {
  it('has no difference in its middle and everything within its width', () => {
    const drawn = drawnInterval(metric({}));
    expect(drawn?.high).toBeCloseTo(98);
    expect(drawn?.low).toBeCloseTo(50 - 9.6);
    expect((drawn?.bandLow ?? 0) + (drawn?.bandHigh ?? 0)).toBeCloseTo(100);
    const certain = drawnInterval(metric({ interval: { low: 0, high: 0 }, difference: 0, smallestDifference: 0 }));
    expect(certain).toEqual({ low: 50, high: 50, estimate: 50, bandLow: 50, bandHigh: 50 });
    expect(drawnInterval(metric({ interval: undefined }))).toBeUndefined();
  });
});
