import { describe, expect, it } from 'vitest';
import type { Operation } from './arguments.ts';
import { SpreadsheetError } from './failures.ts';
import { rowFilter } from './row-filter.ts';

const headers = ['Company', 'Total Score'];

function matching(cells: string[], condition: Partial<Operation>): string[] {
  const matches = rowFilter(headers, { type: 'filter', ...condition });
  return cells.filter((cell) => matches([cell, cell]));
}

describe('operators', () => {
  const names = ['Glean', 'glean', 'Harvey', 'Lean Harvey'];

  it.each([
    ['equals', 'Glean', ['Glean']],
    ['contains', 'lean', ['Glean', 'glean']],
    ['startsWith', 'Glea', ['Glean']],
    ['endsWith', 'Harvey', ['Harvey', 'Lean Harvey']],
    ['greaterThan', 'Harvey', ['glean', 'Lean Harvey']],
    ['lessThan', 'Harvey', ['Glean']],
  ] as const)('%s %s compares text, with case', (filterOperator, filterValue, expected) => {
    expect(matching(names, { filterColumn: 'Company', filterOperator, filterValue })).toEqual(expected);
  });

  it.each([
    ['greaterThan', 9, ['10', ' 9.5 ']],
    ['lessThan', '9', ['-1', '8e0']],
    ['equals', 9, ['9']],
  ] as const)('%s %s compares numbers by size', (filterOperator, filterValue, expected) => {
    const cells = ['10', ' 9.5 ', '9', '-1', '8e0'];
    expect(matching(cells, { filterColumn: 'Company', filterOperator, filterValue })).toEqual(expected);
  });

  it('falls back to text when one side is not a number', () => {
    const condition = { filterColumn: 'Company', filterOperator: 'greaterThan', filterValue: 10 } as const;
    expect(matching(['9', 'n/a', ''], condition)).toEqual(['n/a']);
  });

  it('matches empty cells with null', () => {
    expect(matching(['', 'x'], { filterColumn: 'Company', filterOperator: 'equals', filterValue: null })).toEqual(['']);
  });
});

describe('the column', () => {
  it('is taken by index even if a name is given too', () => {
    const filter = { filterColumn: 'Company', columnIndex: 1, filterOperator: 'equals', filterValue: 'b' } as const;
    const matches = rowFilter(headers, { type: 'filter', ...filter });
    expect([matches(['b', 'a']), matches(['a', 'b'])]).toEqual([false, true]);
  });
});

describe('filterExpression', () => {
  it.each([
    ['Company startsWith Gl', ['Glean']],
    ['  Company   equals  Glean ', ['Glean']],
    ['"Total Score" greaterThan 5', ['7', 'Glean', 'two words']],
    ['Company equals "two words"', ['two words']],
    ['Company equals ""', ['']],
  ])('reads %s', (filterExpression, expected) => {
    expect(matching(['7', 'Glean', 'two words', ''], { filterExpression })).toEqual(expected);
  });

  it.each([
    'Company',
    'Company like Glean',
    'Company equals Glean and Company equals Harvey',
    'Company equals two words',
    '',
  ])('refuses "%s"', (filterExpression) => {
    expect(() => matching([], { filterExpression })).toThrow(
      `Filter expression "${filterExpression}" is not of the form <column> <operator> <value>`,
    );
  });
});

describe('errors', () => {
  it.each([
    [{ filterColumn: 'Status', filterOperator: 'equals', filterValue: 1 }, 'Column "Status" not found in headers'],
    [{ filterExpression: 'Status equals 1' }, 'Column "Status" not found in headers'],
    [{ columnIndex: 2, filterOperator: 'equals', filterValue: 1 }, 'Column index 2 out of bounds (0-1)'],
    [
      { filterOperator: 'equals', filterValue: 1 },
      'Either columnIndex, filterColumn or filterExpression must be provided for filter',
    ],
    [{ filterColumn: 'Company', filterValue: 1 }, 'filterOperator and filterValue are required for filter'],
    [{ filterColumn: 'Company', filterOperator: 'equals' }, 'filterOperator and filterValue are required for filter'],
    [
      { filterColumn: 'Company', filterExpression: 'Company equals x' },
      'filterExpression cannot be combined with columnIndex or the other filter fields',
    ],
  ] as const)('%j', (condition, message) => {
    expect(() => matching([], condition)).toThrow(new SpreadsheetError(message));
  });
});
