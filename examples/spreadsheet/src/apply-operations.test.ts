import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyOperations } from './apply-operations.ts';
import type { Operation } from './arguments.ts';
import { SpreadsheetError } from './failures.ts';

const table = {
  headers: ['Name', 'Tier', 'Score'],
  rows: [
    ['Ada', 'High', '3'],
    ['Bob', 'Low', '10'],
    ['Cyd', 'Low', ''],
  ],
};

function column(operations: Operation[], index: number): (string | undefined)[] {
  return applyOperations(table, operations).rows.map((row) => row[index]);
}

const lowTier: Operation = { type: 'filter', filterColumn: 'Tier', filterOperator: 'equals', filterValue: 'Low' };

describe('updateColumn', () => {
  it('writes one value to every row and counts rows touched apart from cells changed', () => {
    const update = applyOperations(table, [{ type: 'updateColumn', columnName: 'Tier', value: 'Low' }]);
    expect(update.affectedRows).toBe(3);
    expect(update.changes).toEqual([{ row: 0, col: 1, old: 'High', new: 'Low' }]);
  });

  it('writes a vector in row order, as text, with null as the empty string', () => {
    expect(column([{ type: 'updateColumn', columnName: 'Score', values: ['x', 7, null] }], 2)).toEqual(['x', '7', '']);
  });

  it('prefers values to value and columnIndex to columnName', () => {
    const operation: Operation = {
      type: 'updateColumn',
      columnIndex: 2,
      columnName: 'Tier',
      value: 'ignored',
      values: [1, 2, 3],
    };
    expect(column([operation], 2)).toEqual(['1', '2', '3']);
    expect(column([operation], 1)).toEqual(['High', 'Low', 'Low']);
  });

  it('takes null alone for a value', () => {
    expect(column([{ type: 'updateColumn', columnName: 'Tier', value: null }], 1)).toEqual(['', '', '']);
  });
});

describe('updateRow', () => {
  it('replaces one row', () => {
    const update = applyOperations(table, [{ type: 'updateRow', rowIndex: 1, values: ['Bob', 'Mid', null] }]);
    expect(update.rows[1]).toEqual(['Bob', 'Mid', '']);
    expect(update.affectedRows).toBe(1);
    expect(update.changes.map(({ row, col }) => [row, col])).toEqual([
      [1, 1],
      [1, 2],
    ]);
  });
});

describe('filter', () => {
  it('restricts the operations after it, not those before', () => {
    const operations: Operation[] = [
      { type: 'updateColumn', columnName: 'Score', value: 0 },
      lowTier,
      { type: 'updateColumn', columnName: 'Tier', value: 'Mid' },
    ];
    expect(column(operations, 1)).toEqual(['High', 'Mid', 'Mid']);
    expect(column(operations, 2)).toEqual(['0', '0', '0']);
  });

  it('narrows further with every filter and sees what was written before', () => {
    const operations: Operation[] = [
      lowTier,
      { type: 'updateColumn', columnName: 'Score', values: [5, 6] },
      { type: 'filter', filterExpression: 'Score greaterThan 5' },
      { type: 'updateColumn', columnName: 'Name', value: 'last' },
    ];
    expect(column(operations, 0)).toEqual(['Ada', 'Bob', 'last']);
    expect(applyOperations(table, operations).affectedRows).toBe(2);
  });

  it('may match nothing, and then nothing is touched', () => {
    const noMatch: Operation = { ...lowTier, filterValue: 'None' };
    expect(applyOperations(table, [noMatch, { type: 'updateColumn', columnIndex: 0, value: 'x' }])).toEqual({
      rows: table.rows,
      affectedRows: 0,
      changes: [],
    });
  });
});

describe('errors', () => {
  it.each<[string, Operation[]]>([
    ['Column "tier" not found in headers', [{ type: 'updateColumn', columnName: 'tier', value: 1 }]],
    ['Column index 3 out of bounds (0-2)', [{ type: 'updateColumn', columnIndex: 3, value: 1 }]],
    ['Column index -1 out of bounds (0-2)', [{ type: 'updateColumn', columnIndex: -1, value: 1 }]],
    ['Either columnIndex or columnName must be provided for updateColumn', [{ type: 'updateColumn', value: 1 }]],
    ['Either value or values must be provided for updateColumn', [{ type: 'updateColumn', columnIndex: 0 }]],
    [
      'VectorLengthMismatch: Provided 2 values but sheet has 3 rows',
      [{ type: 'updateColumn', columnIndex: 0, values: [1, 2] }],
    ],
    [
      'VectorLengthMismatch: Provided 3 values but filter matches 2 rows',
      [lowTier, { type: 'updateColumn', columnIndex: 0, values: [1, 2, 3] }],
    ],
    ['rowIndex is required for updateRow', [{ type: 'updateRow', values: [1, 2, 3] }]],
    ['values array is required for updateRow', [{ type: 'updateRow', rowIndex: 0, value: 1 }]],
    ['Row index 3 out of bounds (0-2)', [{ type: 'updateRow', rowIndex: 3, values: [1, 2, 3] }]],
    ['Row index -1 out of bounds (0-2)', [{ type: 'updateRow', rowIndex: -1, values: [1, 2, 3] }]],
    ['Row values length 2 does not match header count 3', [{ type: 'updateRow', rowIndex: 0, values: [1, 2] }]],
    [
      'Row index 0 is not matched by the preceding filter',
      [lowTier, { type: 'updateRow', rowIndex: 0, values: [1, 2, 3] }],
    ],
  ])('%s', (message, operations) => {
    expect(() => applyOperations(table, operations)).toThrow(new SpreadsheetError(message));
  });

  it('refuses a name that two columns share', () => {
    const twins = { headers: ['Tier', 'Tier'], rows: [['a', 'b']] };
    expect(() => applyOperations(twins, [{ type: 'updateColumn', columnName: 'Tier', value: 1 }])).toThrow(
      new SpreadsheetError('Column "Tier" appears more than once in headers. Use columnIndex instead'),
    );
    expect(applyOperations(twins, [{ type: 'updateColumn', columnIndex: 1, value: 1 }]).rows).toEqual([['a', '1']]);
  });

  it('says so when there is no row to update', () => {
    const empty = { headers: ['Name'], rows: [] };
    expect(() => applyOperations(empty, [{ type: 'updateRow', rowIndex: 0, values: ['x'] }])).toThrow(
      new SpreadsheetError('Row index 0 out of bounds (the sheet has no rows)'),
    );
  });
});

describe('for any operations', () => {
  const text = fc.constantFrom('High', 'Low', '', '3');
  const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
    fc.record({ type: fc.constant('updateColumn' as const), columnIndex: fc.nat({ max: 2 }), value: text }),
    fc.record({
      type: fc.constant('updateRow' as const),
      rowIndex: fc.nat({ max: 2 }),
      values: fc.array(text, { minLength: 3, maxLength: 3 }),
    }),
  );

  it('the changes are exactly the differences, and the original stays as it was', () => {
    fc.assert(
      fc.property(fc.array(anyOperation, { minLength: 1, maxLength: 6 }), (operations) => {
        const before = structuredClone(table);
        const update = applyOperations(table, operations);
        const differences = update.rows.flatMap((cells, row) =>
          cells.flatMap((cell, col) =>
            cell === table.rows[row]?.[col] ? [] : [{ row, col, old: table.rows[row]?.[col], new: cell }],
          ),
        );
        expect(update.changes).toEqual(differences);
        expect(update.affectedRows).toBeGreaterThanOrEqual(new Set(differences.map(({ row }) => row)).size);
        expect(table).toEqual(before);
      }),
      { seed: 20, numRuns: 300 },
    );
  });
});
