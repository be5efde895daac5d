import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import { judgeResultSchema } from '../../domain/judge-result.ts';
import { fakeModel } from '../../testing/fakes/judge/fake-model.ts';
import { contextOf, sampleSubject } from '../../testing/fakes/judge/sample-subject.ts';
import type { JudgeContext } from './judge.ts';
import { criteria } from './modes/criteria.ts';
import { score } from './modes/score.ts';
import { askPanel } from './panel.ts';
import { prepareJudge } from './prepare-judge.ts';

const byCriteria = prepareJudge(criteria, { successCriteria: 'The table is booked' });
const byScore = prepareJudge(score, { passThreshold: 0.8, maxMessages: 20, evidence: 'optional' });
const down = new AssayError('MODEL_UNAVAILABLE', 'down');

function replyWith(answer: 'met' | 'not-met' | 'cannot-tell') {
  const evidence = answer === 'met' ? [{ event: 'e3', quote: 'BK-7731' }] : [];
  return { criteria: [{ id: 'success-1', reasoning: `I say ${answer}`, evidence, answer }], confidence: 0.5 };
}

function members(replies: readonly unknown[], overrides: Partial<JudgeContext> = {}): JudgeContext[] {
  return replies.map((reply, index) =>
    contextOf(fakeModel([reply], `fake/m${index + 1}`), { seed: index, ...overrides }),
  );
}

describe('a panel on criteria', () => {
  const met = replyWith('met');
  const not = replyWith('not-met');
  const unclear = replyWith('cannot-tell');

  it.each([
    { what: 'all agree', replies: [met, met, met], state: 'pass' },
    { what: 'two of three say met', replies: [met, not, met], state: 'pass' },
    { what: 'two of three say not met', replies: [not, met, not], state: 'fail' },
    { what: 'votes are even', replies: [met, not], state: 'error' },
    { what: 'no answer has a majority', replies: [met, not, unclear], state: 'error' },
    { what: 'most are undecided', replies: [unclear, met, unclear], state: 'error' },
    { what: 'one is down and the others agree', replies: [met, met, down], state: 'pass' },
    { what: 'one is down and the others differ', replies: [met, not, down], state: 'error' },
    { what: 'most are down', replies: [met, down, down], state: 'error' },
  ])('is $state when $what', async ({ replies, state }) => {
    expect((await askPanel(byCriteria, sampleSubject(), members(replies))).state).toBe(state);
  });

  it('keeps every answer, adds up what they cost and reports who differs', async () => {
    const result = await askPanel(byCriteria, sampleSubject(), members([met, not, met]));
    expect(judgeResultSchema.parse(result)).toMatchObject({
      model: 'fake/m1, fake/m2, fake/m3',
      criteria: [
        { answer: 'met', reason: '2 of 3: I say met', evidence: [{ isVerified: true }, { isVerified: true }] },
      ],
      warnings: ["1 of 3 judges differ from the panel's pass: fake/m2 says fail"],
      usage: { inputTokens: 300, outputTokens: 30 },
    });
    expect(result.panel?.map(({ state }) => state)).toEqual(['pass', 'fail', 'pass']);
    expect(result.costUsd).toBeCloseTo(0.003, 12);
  });

  it('says whose fault it is when too few could answer', async () => {
    expect(await askPanel(byCriteria, sampleSubject(), members([met, down, down]))).toMatchObject({
      reason: 'only 1 of 3 judges could answer',
      fault: { code: 'MODEL_UNAVAILABLE', blame: 'judge' },
    });
  });

  it('is an error when no member has a key', async () => {
    const noKey = new AssayError('MODEL_NO_KEY', 'no key');
    const result = await askPanel(byCriteria, sampleSubject(), members([noKey, noKey]));
    expect(result).toMatchObject({ state: 'error', fault: { code: 'MODEL_NO_KEY' } });
  });
});

describe('a panel on scores', () => {
  const scored = (value: number) => ({ score: value, reason: `worth ${value}` });

  it('compares the mean with the threshold and shows the spread', async () => {
    expect(await askPanel(byScore, sampleSubject(), members([scored(0.7), scored(0.8), scored(0.9)]))).toMatchObject({
      state: 'pass',
      score: 0.8,
      reason: 'mean score 0.8 >= 0.8 (0.7 to 0.9)',
      spread: { mean: 0.8, standardDeviation: expect.closeTo(0.1, 9), min: 0.7, max: 0.9 },
      warnings: expect.arrayContaining(["1 of 3 judges differ from the panel's pass: fake/m1 says fail"]),
    });
  });

  it('leaves out the 0 of a reply that could not be read', async () => {
    const result = await askPanel(byScore, sampleSubject(), members([scored(0.9), 'nonsense', scored(0.9)]));
    expect(result).toMatchObject({ state: 'pass', score: 0.9 });
  });
});

describe('any panel', () => {
  it('of one is just that judge', async () => {
    expect((await askPanel(byCriteria, sampleSubject(), members([replyWith('met')]))).panel).toBeUndefined();
  });

  it.each([true, false])('never overturns a failed gate (prompted anyway: %s)', async (asksDespiteFailedGates) => {
    const subject = sampleSubject({ failedGates: ['script: exit code 1'] });
    const replies = [replyWith('met'), replyWith('met'), replyWith('met')];
    const result = await askPanel(byCriteria, subject, members(replies, { asksDespiteFailedGates }));
    expect(result.state).toBe('fail');
    expect(result.reason).toMatch(/^Failed gates are final: script: exit code 1/);
  });
});
