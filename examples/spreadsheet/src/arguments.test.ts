import { describe, expect, it } from 'vitest';
import { parseArguments } from './arguments.ts';
import { SpreadsheetError } from './failures.ts';

const operation = { type: 'updateColumn', columnName: 'Tier', value: 'High' };

function parseWith(fields: Record<string, unknown>) {
  return parseArguments({ documentId: 'd', operations: [operation], ...fields });
}

describe('the safety gate', () => {
  const refusal = 'CommitNotConfirmed: Set both dryRun=false AND confirm=true to commit changes';

  it.each([undefined, false, null, 'true', 1])('refuses a commit with confirm %j', (confirm) => {
    expect(() => parseWith({ dryRun: false, confirm })).toThrow(new SpreadsheetError(refusal));
  });

  it('comes before every other check', () => {
    expect(() => parseArguments({ dryRun: false, operations: 'none', surprise: 1 })).toThrow(
      new SpreadsheetError(refusal),
    );
  });

  it('lets a confirmed commit through', () => {
    expect(parseWith({ dryRun: false, confirm: true })).toMatchObject({ dryRun: false, confirm: true });
  });
});

describe('dry run', () => {
  it.each([undefined, true, null, 0, 'false'])('is what dryRun %j means, confirmed or not', (dryRun) => {
    expect(parseWith({ dryRun, confirm: true }).dryRun).toBe(true);
    expect(parseWith({ dryRun }).dryRun).toBe(true);
  });
});

describe('the shape of the arguments', () => {
  it.each([
    [null, 'Invalid arguments: Invalid input: expected object, received null'],
    [{ operations: [operation] }, 'Invalid arguments: documentId: Invalid input: expected string, received undefined'],
    [{ documentId: 'd', operations: [] }, 'Invalid arguments: operations: at least one operation is required'],
    [
      { documentId: 'd', operations: [{ type: 'sort' }] },
      'Invalid arguments: operations[0].type: ' +
        'Unknown operation type "sort", known are updateColumn, updateRow, filter',
    ],
    [
      { documentId: 'd', operations: [operation, { type: 'filter', filterOperator: 'like' }] },
      'Invalid arguments: operations[1].filterOperator: Unknown filter operator "like", ' +
        'known are equals, contains, greaterThan, lessThan, startsWith, endsWith',
    ],
    [
      { documentId: 'd', operations: [{ ...operation, values: ['a', true] }] },
      'Invalid arguments: operations[0].values[1]: expected text, a number or null',
    ],
    [
      { documentId: 'd', operations: [{ ...operation, colunmName: 'x' }] },
      'Invalid arguments: operations[0]: Unrecognized key: "colunmName"',
    ],
  ])('%j is refused with the place and the reason', (args, message) => {
    expect(() => parseArguments(args)).toThrow(new SpreadsheetError(message));
  });

  it('reports every problem at once', () => {
    expect(() => parseArguments({ documentId: 1, operations: [{ ...operation, rowIndex: 1.5 }] })).toThrow(
      /documentId: .*; operations\[0\]\.rowIndex: /,
    );
  });
});
