import { describe, expect, it } from 'vitest';
import type { Cell } from '../../../../src/entry/server/api/runs.ts';
import { cellRate, matrixOf } from './matrix.ts';

function cell(scenario: string, model: string | undefined, pass: number, fail = 0): Cell {
  const variant = model === undefined ? {} : { model };
  return {
    scenario,
    file: 's.yaml',
    variant,
    pass,
    fail,
    error: 0,
    skipped: 0,
    notJudged: 0,
    marks: {},
    durationMs: 1,
    costUsd: 0,
  };
}

describe('matrixOf', () => {
  it('has a row for each scenario and a column for each variant', () => {
    const { columns, rows } = matrixOf([cell('a', 'x', 1), cell('a', 'y', 2), cell('b', 'y', 3)]);
    expect(columns.map(({ label }) => label)).toEqual(['x', 'y']);
    expect(rows.map(({ scenario, cells }) => [scenario, ...cells.map((one) => one?.pass)])).toEqual([
      ['a', 1, 2],
      ['b', undefined, 3],
    ]);
  });

  it('puts first what did not pass, and leaves the rest as planned', () => {
    const { rows } = matrixOf([cell('a', 'x', 1), cell('b', 'x', 0, 1), cell('c', 'x', 1), cell('d', 'x', 2, 1)]);
    expect(rows.map(({ scenario }) => scenario)).toEqual(['b', 'd', 'a', 'c']);
  });

  it('names a column without a variant: a tool that is called directly, or imported trials', () => {
    expect(matrixOf([cell('a', undefined, 1)]).columns[0]).toEqual({ key: '{}', label: 'no variant' });
  });
});

describe('cellRate', () => {
  it('counts only what was judged', () => {
    expect(cellRate({ ...cell('a', 'x', 3, 1), error: 5 })).toBe(0.75);
    expect(cellRate({ ...cell('a', 'x', 0, 0), error: 5 })).toBeNull();
  });
});
