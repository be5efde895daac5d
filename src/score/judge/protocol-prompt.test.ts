import { describe, expect, it } from 'vitest';
import { judgeInputSchema } from '../../domain/judge-protocol.ts';
import { renderProtocolPrompt } from './protocol-prompt.ts';

const successPrompt = `You are an LLM judge evaluating a spreadsheet tool test result.

Test Input:
{
  "documentId": "jx73n3c3ea8j5r3sa01zy5xq697n17j8",
  "operations": [{"type": "updateColumn", "columnName": "Status", "value": "Active"}],
  "dryRun": true
}

Actual Result:
{
  "dryRun": true,
  "affectedRows": 13,
  "changedCells": 10,
  "preview": [{"row": 0, "col": 5, "old": "Inactive", "new": "Active"}],
  "message": "DRY RUN: Would update 10 cells across 13 rows..."
}

Pass Criteria (all must be true):
1. result.dryRun === true
2. result.committed === undefined
3. result.affectedRows > 0
4. result.preview !== undefined
5. result.message.includes("DRY RUN")

Fail Criteria (all must be false):
1. result.committed === true
2. result.newStorageId !== undefined

Evaluate each criterion and provide a PASS/FAIL verdict with explanation.`;

const errorPrompt = `You are an LLM judge evaluating a spreadsheet tool error handling test.

Test Input:
{
  "documentId": "jx73n3c3ea8j5r3sa01zy5xq697n17j8",
  "operations": [{"type": "updateColumn", "columnName": "InvalidColumn", "value": "Test"}],
  "dryRun": true
}

Actual Result:
Error: Column "InvalidColumn" not found in headers

Pass Criteria (all must be true):
1. error !== undefined
2. error.message.includes("not found in headers")
3. error.message.includes("InvalidColumn")

Fail Criteria (all must be false):
1. result.affectedRows > 0
2. result.committed === true

Evaluate each criterion and provide a PASS/FAIL verdict with explanation.`;

const errorCase = {
  testScenario: {
    name: 'Column not found',
    input: {
      documentId: 'jx73n3c3ea8j5r3sa01zy5xq697n17j8',
      operations: [{ type: 'updateColumn', columnName: 'InvalidColumn', value: 'Test' }],
      dryRun: true,
    },
  },
  actualResult: 'Error: Column "InvalidColumn" not found in headers',
  passCriteria: [
    'error !== undefined',
    'error.message.includes("not found in headers")',
    'error.message.includes("InvalidColumn")',
  ],
  failCriteria: ['result.affectedRows > 0', 'result.committed === true'],
};

describe('renderProtocolPrompt', () => {
  it('renders a result in the layout of the protocol', () => {
    const input = judgeInputSchema.parse({
      testScenario: {
        name: 'Dry run',
        input: {
          documentId: 'jx73n3c3ea8j5r3sa01zy5xq697n17j8',
          operations: [{ type: 'updateColumn', columnName: 'Status', value: 'Active' }],
          dryRun: true,
        },
      },
      actualResult: {
        dryRun: true,
        affectedRows: 13,
        changedCells: 10,
        preview: [{ row: 0, col: 5, old: 'Inactive', new: 'Active' }],
        message: 'DRY RUN: Would update 10 cells across 13 rows...',
      },
      passCriteria: [
        'result.dryRun === true',
        'result.committed === undefined',
        'result.affectedRows > 0',
        'result.preview !== undefined',
        'result.message.includes("DRY RUN")',
      ],
      failCriteria: ['result.committed === true', 'result.newStorageId !== undefined'],
    });
    expect(renderProtocolPrompt(input)).toBe(successPrompt);
  });

  it('renders an error given as text in the layout of the protocol', () => {
    expect(renderProtocolPrompt(judgeInputSchema.parse(errorCase))).toBe(errorPrompt);
  });

  it('renders an error given as an object the same way', () => {
    const actualResult = { error: { message: 'Column "InvalidColumn" not found in headers' } };
    expect(renderProtocolPrompt(judgeInputSchema.parse({ ...errorCase, actualResult }))).toBe(errorPrompt);
  });

  it('leaves placeholders inside the data alone and says when a list is empty', () => {
    const input = judgeInputSchema.parse({
      testScenario: { name: 'Placeholders' },
      actualResult: ['{{passCriteria}}', "$&$'"],
    });
    const prompt = renderProtocolPrompt(input);
    expect(prompt).toContain('Actual Result:\n["{{passCriteria}}", "$&$\'"]\n');
    expect(prompt).toContain('Test Input:\n{}\n');
    expect(prompt).toContain('Pass Criteria (all must be true):\n(none)\n');
  });
});
