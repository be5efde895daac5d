import { describe, expect, it } from 'vitest';
import { compileCriterion, compileExpression } from './criterion.ts';
import { CriterionError } from './criterion-error.ts';

const result = {
  dryRun: true,
  affectedRows: 13,
  changedCells: 10,
  executionTime: 762,
  message: 'DRY RUN: Would update 10 cells across 13 rows...',
  preview: [{ row: 0, col: 29, old: 'Medium', new: 'High' }],
};

describe('compileCriterion', () => {
  it.each([
    ['result.dryRun === true', true],
    ['result.committed === undefined', true],
    ["result.message === 'Expected message'", false],
    ['result.newStorageId !== undefined', false],
    ['result.error !== null', true],
    ['result.affectedRows > 0', true],
    ['result.changedCells >= 1', true],
    ['result.executionTime < 5000', true],
    ["result.message.includes('DRY RUN')", true],
    ['result.message.includes("DRY RUN")', true],
    ["result.message.startsWith('Error:')", false],
    ["result.error.message.includes('not found')", false],
    ['result.preview.length > 0', true],
    ['result.preview.every(p => p.row >= 0)', true],
    ['result.preview.some(p => p.old !== p.new)', true],
    ["typeof result.affectedRows === 'number'", true],
    ['Array.isArray(result.preview)', true],
    ['result.dryRun === true || result.dryRun === false', true],
    ['result.dryRun === true && result.committed === undefined', true],
    ['result.error !== undefined || result.result !== undefined', false],
  ])('answers %s of the contract with %s', (source, expected) => {
    expect(compileCriterion(source).test({ result })).toBe(expected);
  });

  it.each([
    ['<', [true, false, false]],
    ['<=', [true, true, false]],
    ['>', [false, false, true]],
    ['>=', [false, true, true]],
    ['===', [false, true, false]],
    ['!==', [true, false, true]],
  ])('compares below, at and above a limit with %s, on either side', (operator, expected) => {
    const values = [2, 3, 4];
    const met = (source: string, n: number) => compileCriterion(source).test({ result: { n, limit: 3 } });
    expect(values.map((n) => met(`result.n ${operator} 3`, n))).toEqual(expected);
    expect(values.map((n) => met(`result.n ${operator} result.limit`, n))).toEqual(expected);
    expect(values.map((n) => met(`String(result.n) ${operator} String(result.limit)`, n))).toEqual(expected);
  });

  it('sees result, error, input and expected', () => {
    const criterion = compileCriterion('result === input && error.message === expected.message');
    expect(criterion.test({ result: 1, input: 1, error: { message: 'no' }, expected: { message: 'no' } })).toBe(true);
  });

  it('does not let a missing part through, whatever stands around it', () => {
    for (const source of [
      'result.gone.length > 0',
      '!result.gone.length',
      'result.gone.length > 0 || true',
      'result.gone[0] === 1',
    ]) {
      const criterion = compileCriterion(source);
      expect(criterion.test({ result })).toBe(false);
      expect(criterion.answer({ result }).state).toBe('not-met');
    }
  });

  it('ends an optional chain at the missing part', () => {
    expect(compileCriterion('result.gone?.deep.deeper[0].trim() === undefined').test({ result })).toBe(true);
    expect(compileCriterion('result.gone?.[0] === undefined').test({ result })).toBe(true);
    expect(compileCriterion('result.message.map?.(x => x) === undefined').test({ result })).toBe(true);
    expect(compileCriterion('(result.gone?.deep).deeper === undefined').test({ result })).toBe(false);
  });

  it('refuses a value that is not a boolean', () => {
    const criterion = compileCriterion('result.preview');
    const defect = {
      criterion: 'result.preview',
      message: 'it gives an array, not true or false',
      column: 1,
      hint: 'compare the value, as in `… === true` or `… !== undefined`',
    };
    expect(criterion.answer({ result })).toEqual({ state: 'unusable', defect });
    expect(() => criterion.test({ result })).toThrow(CriterionError);
  });

  it('keeps evaluations apart', () => {
    const criterion = compileCriterion('result.every(a => input.some(b => a === b))');
    expect(criterion.test({ result: [1, 2], input: [2, 1] })).toBe(true);
    expect(criterion.test({ result: [1, 3], input: [2, 1] })).toBe(false);
    expect(criterion.test({ result: [1, 2], input: [2, 1] })).toBe(true);
  });
});

describe('compileExpression', () => {
  it.each([
    [`result.preview.map(({ old, new: next }) => \`\${old} to \${next}\`)`, ['Medium to High']],
    ['result.changedCells / result.affectedRows > 0.7 ? "most" : "few"', 'most'],
    ['Object.entries({ a: 1, ...{ b: 2 } }).map(([key, value]) => key + value)', ['a1', 'b2']],
    ['[3, 1, 2].toSorted((a, b) => a - b).filter(Boolean).map(String)', ['1', '2', '3']],
    ['[[1, 2], [3]].flat().reduce((sum, n) => sum + n)', 6],
    ['result.message.match(/(?<cells>\\d+) cells/).groups.cells', '10'],
    ["result.message.replace(/\\d+/g, '#').slice(0, 20)", 'DRY RUN: Would updat'],
    ['result.gone.deep', undefined],
    ['result.affectedRows.trim()', undefined],
    ["JSON.parse('{broken')", undefined],
    ["'x'.repeat(-1)", undefined],
    ['[].reduce((a, b) => a)', undefined],
    ['result === 1 ? 1 : undefined', undefined],
  ])('%s gives %j', (source, expected) => {
    expect(compileExpression(source).evaluate({ result })).toEqual(expected);
  });
});
