import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import { testContext } from '../../testing/fakes/vitest/test-context.ts';
import { type CaseRules, evaluateCase, failureText, statsText, summarize } from './describe-eval.ts';
import type { EvalScorer } from './eval-types.ts';

function scorer(name: string, score: EvalScorer['score'], explanation?: string): EvalScorer {
  return { name, score, ...(explanation !== undefined && { explain: () => explanation }) };
}

const fixed = (...scores: number[]) => scores.map((score, index) => scorer(`scorer ${index + 1}`, () => score));
const context = testContext();

function evaluated(rules: Partial<CaseRules>) {
  return evaluateCase(context, { task: () => 'done', scorers: fixed(1), threshold: 0.8, ...rules });
}

describe('evaluateCase', () => {
  it.each([
    [[1, 0.6], 0.8, true],
    [[1, 0.59], 0.8, false],
    [[0], 0, true],
    [[0.99], 1, false],
    [[0.1 + 0.7], 0.8, true],
  ])('scores %j with threshold %d: passed %s', async (scores, threshold, passed) => {
    expect(await evaluated({ scorers: fixed(...scores), threshold })).toMatchObject({ passed });
  });

  it('returns the output, the score of each scorer, and their mean', async () => {
    const result = await evaluated({ scorers: [scorer('a', () => 1, 'why'), scorer('b', async () => 0.5)] });
    expect(result).toMatchObject({
      testCase: context.testCase,
      output: 'done',
      scores: [
        { scorerName: 'a', score: 1, explanation: 'why' },
        { scorerName: 'b', score: 0.5 },
      ],
      overallScore: 0.75,
      passed: false,
    });
    expect(result.error).toBeUndefined();
  });

  it('fails when the task throws, whatever the threshold', async () => {
    const task = () => Promise.reject(new Error('no such tool'));
    const result = await evaluated({ task, threshold: 0 });
    expect(result).toMatchObject({ passed: false, overallScore: 0, scores: [], error: new Error('no such tool') });
    expect(failureText(result, 0)).toBe('The task failed: no such tool');
  });

  it('does not count a missing key as a failure', async () => {
    const task = () => Promise.reject(new AssayError('MODEL_NO_KEY', 'no key'));
    await expect(evaluated({ task })).rejects.toMatchObject({ code: 'MODEL_NO_KEY' });
  });

  it.each<[string, EvalScorer['score'], string]>([
    ['throws', () => Promise.reject(new Error('broken')), 'failed: broken'],
    ['gives NaN', () => Number.NaN, 'returned NaN, which is not a number from 0 to 1'],
    ['gives too much', () => 7, 'returned 7, which is not a number from 0 to 1'],
  ])('gives 0 for a scorer that %s, and goes on', async (_name, score, explanation) => {
    const { scores } = await evaluated({ scorers: [scorer('odd', score), ...fixed(1)] });
    expect(scores).toEqual([
      { scorerName: 'odd', score: 0, explanation },
      { scorerName: 'scorer 1', score: 1 },
    ]);
  });

  it('says why a case failed', async () => {
    const result = await evaluated({ scorers: [scorer('a', () => 0.25, 'too little'), scorer('b', () => 1)] });
    expect(failureText(result, 0.8)).toBe(
      'The mean score is 0.625, less than the threshold of 0.8.\n  0.25  a: too little\n  1.00  b\n  output: "done"',
    );
  });
});

describe('summarize', () => {
  it('counts and averages', async () => {
    const results = [await evaluated({ scorers: fixed(1) }), await evaluated({ scorers: fixed(0.5) })];
    const summary = summarize(results, 0.7);
    expect(summary).toMatchObject({
      stats: { totalTests: 2, passedTests: 1, failedTests: 1, averageScore: 0.75 },
      passed: false,
    });
    expect(statsText('sums', summary)).toMatch(
      /^sums: failed; 1 of 2 cases passed, mean score 0\.750, mean time \d+ ms$/,
    );
    expect(summarize(results.slice(0, 1), 0.7)).toMatchObject({ passed: true });
    expect(summarize([], 0.7)).toMatchObject({ passed: false });
  });
});
