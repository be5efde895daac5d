import { describe, expect, it } from 'vitest';
import { type JudgeInput, judgeInputSchema, judgeOutputSchema } from '../../domain/judge-protocol.ts';
import { compileJudge, judgeProtocol } from './judge-protocol.ts';

const sample = {
  testScenario: {
    name: 'Test 1: Dry-Run Column Update',
    input: {
      documentId: 'jx73n3c3ea8j5r3sa01zy5xq697n17j8',
      userId: 'k17f4ess745re511ckkcfqce697n16es',
      operations: [{ type: 'updateColumn', columnName: 'AlreadyTalkingTier', value: 'High' }],
      dryRun: true,
    },
    expectedBehavior: 'Should preview changes without committing to storage',
  },
  actualResult: {
    dryRun: true,
    affectedRows: 13,
    changedCells: 10,
    executionTime: 762,
    message: 'DRY RUN: Would update 10 cells across 13 rows...',
    preview: [{ row: 0, col: 29, old: 'Medium', new: 'High' }],
  },
  passCriteria: [
    'result.dryRun === true',
    'result.committed === undefined',
    'result.affectedRows > 0',
    'result.changedCells > 0',
    'result.preview !== undefined',
    'result.preview.length > 0',
    'result.newStorageId === undefined',
    "result.message.includes('DRY RUN')",
  ],
  failCriteria: ['result.committed === true', 'result.newStorageId !== undefined', 'result.preview === undefined'],
};

function inputOf(parts: object): JudgeInput {
  return judgeInputSchema.parse({ ...sample, ...parts });
}

describe('judgeProtocol', () => {
  it('answers the sample of the protocol field for field', () => {
    const { output, unusable } = judgeProtocol(inputOf({}));
    expect(unusable).toEqual([]);
    expect(output).toEqual({
      testName: 'Test 1: Dry-Run Column Update',
      verdict: 'PASS',
      passCriteriaEvaluation: {
        total: 8,
        passed: 8,
        failed: 0,
        details: [
          ['result.dryRun === true', 'result.dryRun is true, criterion met'],
          ['result.committed === undefined', 'result.committed is undefined, criterion met'],
          ['result.affectedRows > 0', 'result.affectedRows is 13, which is > 0'],
          ['result.changedCells > 0', 'result.changedCells is 10, which is > 0'],
          ['result.preview !== undefined', 'result.preview is an array, not undefined'],
          ['result.preview.length > 0', 'result.preview has 1 item, which is > 0'],
          ['result.newStorageId === undefined', 'result.newStorageId is undefined, criterion met'],
          ["result.message.includes('DRY RUN')", "result.message contains 'DRY RUN'"],
        ].map(([criterion, explanation]) => ({ criterion, result: true, explanation })),
      },
      failCriteriaEvaluation: {
        total: 3,
        triggered: 0,
        avoided: 3,
        details: [
          ['result.committed === true', 'result.committed is undefined, not true (good)'],
          ['result.newStorageId !== undefined', 'result.newStorageId is undefined (good)'],
          ['result.preview === undefined', 'result.preview is defined (good)'],
        ].map(([criterion, explanation]) => ({ criterion, triggered: false, explanation })),
      },
      summary: {
        verdict: 'PASS',
        reason: 'All 8 pass criteria met, 0 fail criteria triggered',
        confidence: 'HIGH',
        recommendation: 'Test passed successfully. Tool behavior matches expected specification.',
      },
    });
    expect(judgeOutputSchema.parse(output)).toEqual(output);
  });

  it.each([
    ['a text', 'Error: Column "InvalidColumn" not found in headers'],
    ['an object', { error: { message: 'Column "InvalidColumn" not found in headers' } }],
  ])('judges an error given as %s', (_form, actualResult) => {
    const passCriteria = [
      'error !== undefined',
      'error.message.includes("not found in headers")',
      'error.message.includes("InvalidColumn")',
    ];
    const failCriteria = ['result.affectedRows > 0', 'result.committed === true'];
    const { output } = judgeProtocol(inputOf({ actualResult, passCriteria, failCriteria }));
    expect(output.verdict).toBe('PASS');
    expect(output.failCriteriaEvaluation).toMatchObject({ total: 2, triggered: 0, avoided: 2 });
    expect(output.failCriteriaEvaluation.details[0]?.explanation).toBe(
      'result is undefined, so result.affectedRows cannot be read (good)',
    );
  });

  it('names the pass criteria that failed before any fail condition', () => {
    const actualResult = { ...sample.actualResult, dryRun: false, affectedRows: 0, committed: true };
    const passCriteria = ['result.dryRun === true', 'result.affectedRows > 0', 'result.changedCells > 0'];
    const { output } = judgeProtocol(inputOf({ actualResult, passCriteria }));
    expect(output.passCriteriaEvaluation).toMatchObject({ total: 3, passed: 1, failed: 2 });
    expect(output.failCriteriaEvaluation).toMatchObject({ total: 3, triggered: 1, avoided: 2 });
    expect(output.summary).toEqual({
      verdict: 'FAIL',
      reason: '2 of 3 pass criteria failed: result.dryRun === true; result.affectedRows > 0',
      confidence: 'HIGH',
      recommendation:
        "Test failed. Compare the tool's behavior with the specification, starting here: result.dryRun is false, not true.",
    });
  });

  it.each([
    [{ committed: true }, '1 fail condition triggered: result.committed === true'],
    [
      { committed: true, newStorageId: 'abc' },
      '2 fail conditions triggered: result.committed === true; result.newStorageId !== undefined',
    ],
  ])('names the fail conditions that were triggered by %j', (extra, reason) => {
    const actualResult = { ...sample.actualResult, ...extra };
    const { output } = judgeProtocol(inputOf({ actualResult, passCriteria: ['result.dryRun === true'] }));
    expect(output.verdict).toBe('FAIL');
    expect(output.summary.reason).toBe(reason);
    expect(output.summary.recommendation).toBe(
      'Test failed. The tool did what it must not do, starting here: result.committed is true (bad).',
    );
  });

  it('lets criteria see the input of the tool', () => {
    const { output } = judgeProtocol(inputOf({ passCriteria: ['result.dryRun === input.dryRun'], failCriteria: [] }));
    expect(output.verdict).toBe('PASS');
  });
});

describe('a criterion that cannot be used', () => {
  it('fails the test when it stands among the pass criteria', () => {
    const { output, unusable } = judgeProtocol(
      inputOf({ passCriteria: ['result.dryRun === true', 'resul.dryRun === true'] }),
    );
    expect(unusable).toEqual([
      {
        criterion: 'resul.dryRun === true',
        message: '`resul` is not defined',
        column: 1,
        hint: 'Did you mean `result`?',
      },
    ]);
    expect(output.passCriteriaEvaluation.details[1]).toEqual({
      criterion: 'resul.dryRun === true',
      result: false,
      explanation: 'cannot be evaluated: `resul` is not defined (column 1)',
    });
    expect(output.summary).toEqual({
      verdict: 'FAIL',
      reason: '1 of 2 pass criteria failed: resul.dryRun === true (column 1: `resul` is not defined)',
      confidence: 'LOW',
      recommendation:
        'Correct the test before judging the tool: look at column 1 of `resul.dryRun === true`. Hint: Did you mean `result`?',
    });
  });

  it('is neither triggered nor avoided when it stands among the fail criteria', () => {
    const { output, unusable } = judgeProtocol(
      inputOf({ failCriteria: ['result.committed === true', 'result.preview'] }),
    );
    expect(unusable).toHaveLength(1);
    expect(output.verdict).toBe('FAIL');
    expect(output.failCriteriaEvaluation).toMatchObject({ total: 2, triggered: 0, avoided: 1 });
    expect(output.failCriteriaEvaluation.details[1]).toMatchObject({ triggered: false });
    expect(output.summary).toMatchObject({
      reason: '1 fail condition cannot be evaluated: result.preview (column 1: it gives an array, not true or false)',
      confidence: 'LOW',
    });
  });
});

describe('compileJudge', () => {
  it('judges any number of results', () => {
    const judge = compileJudge(['result.n > 0'], ['result.n > 10']);
    const verdicts = [5, 0, 50].map((n) => judge({ result: { n } }, { testName: `n is ${n}` }).output);
    expect(verdicts.map(({ testName, verdict }) => [testName, verdict])).toEqual([
      ['n is 5', 'PASS'],
      ['n is 0', 'FAIL'],
      ['n is 50', 'FAIL'],
    ]);
  });

  it('gives the same verdict without the explanations', () => {
    for (const failCriteria of [['result.n > 10'], ['result.n >'], ['result.n']]) {
      const judge = compileJudge(['result.n > 0'], failCriteria);
      for (const n of [5, 0, 50]) {
        expect(judge.verdict({ result: { n } })).toBe(judge({ result: { n } }, { testName: '' }).output.verdict);
      }
    }
  });
});
