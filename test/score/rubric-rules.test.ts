import { describe, expect, it } from 'vitest';
import { answerText, judgedScenario, runJudged } from '../../src/testing/support/judged-project.ts';

const rubricWith = (...criteria: readonly object[]) => ({
  'rubric.json': JSON.stringify({
    criteria: [
      { id: 'correct', weight: 0.4, required: true, description: 'It names the capital' },
      { id: 'clear', weight: 0.6, description: 'It is one sentence' },
      ...criteria,
    ],
  }),
});
const leak = { id: 'leak', weight: 0, deduction: 0.5, description: 'It prints a password' };
const scenario = judgedScenario({ model: 'openai/gpt-4o-mini', rubric: './rubric.json', pass_threshold: 0.5 });

/** Reply of a judge with these scores, each with a quote of the answer. */
const rulesFor = (scores: Readonly<Record<string, number>>, quote = answerText) => {
  const reasoning = Object.entries(scores).map(([criterion, score]) => ({
    criterion,
    reason: 'r',
    evidence: score > 0 ? [{ event: 'e2', quote }] : [],
  }));
  const { correct = 0, clear = 0 } = scores;
  const weighted_score = 0.4 * correct + 0.6 * clear;
  return [{ reply: { json: { reasoning, scores, weighted_score, issues: [], highlights: [], confidence: 1 } } }];
};

describe('rules of a rubric', () => {
  it.each([
    [{ correct: 1, clear: 1 }, 'pass', 'weighted score 1 >= 0.5'],
    [{ correct: 0.4, clear: 1 }, 'fail', 'required criterion correct has score 0.4 < 0.5'],
    [{ correct: 0.6, clear: 0 }, 'fail', 'weighted score 0.24 < 0.5'],
  ])('a required criterion decides beside the sum: %j', async (scores, outcome, reason) => {
    const { trial } = await runJudged({ scenario, rules: rulesFor(scores), files: rubricWith() });
    expect(trial).toMatchObject({ outcome, judge: { reason } });
  });

  it.each([
    [{ correct: 1, clear: 1, leak: 0 }, 'pass', 1],
    [{ correct: 1, clear: 1, leak: 0.5 }, 'pass', 0.75],
    [{ correct: 1, clear: 0.5, leak: 1 }, 'fail', 0.2],
  ])('a mistake takes its deduction off: %j', async (scores, outcome, score) => {
    const { trial } = await runJudged({ scenario, rules: rulesFor(scores), files: rubricWith(leak) });
    expect(trial).toMatchObject({ outcome, judge: { score } });
  });

  it('without proof, a required criterion is neither met nor missed', async () => {
    const rules = rulesFor({ correct: 1, clear: 1 }, 'London is the capital of France.');
    const { trial } = await runJudged({ scenario, rules: [...rules, ...rules], files: rubricWith() });
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'JUDGE_UNDECIDED' } });
  });

  it.each([
    [{ ...leak, weight: 0.1 }, 'must sum to 1.0'],
    [{ ...leak, required: true }, 'leak has a deduction, so it cannot be required'],
    [{ ...leak, deduction: 'much' }, 'deduction'],
  ])('a rubric that contradicts itself is refused: %j', async (criterion, message) => {
    const run = await runJudged({ scenario, rules: rulesFor({}), files: rubricWith(criterion) });
    expect(run).toMatchObject({ exitCode: 2, calls: 0, stderr: expect.stringContaining(message) });
  });
});
