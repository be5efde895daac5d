import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import { judgeResultSchema } from '../../domain/judge-result.ts';
import { fakeModel } from '../../testing/fakes/judge/fake-model.ts';
import { contextOf, sampleSubject } from '../../testing/fakes/judge/sample-subject.ts';
import { askCascade, type CascadeRules } from './cascade.ts';
import { criteria } from './modes/criteria.ts';
import { score } from './modes/score.ts';
import { prepareJudge } from './prepare-judge.ts';

const byCriteria = prepareJudge(criteria, { successCriteria: 'The table is booked' });
const byScore = prepareJudge(score, { passThreshold: 0.8, maxMessages: 20, evidence: 'optional' });
const rules: CascadeRules = { margin: 0.1, confidence: 0.8, check: 0 };

function replyWith(answer: 'met' | 'not-met' | 'cannot-tell', confidence?: number) {
  const evidence = answer === 'met' ? [{ event: 'e3', quote: 'BK-7731' }] : [];
  return { criteria: [{ id: 'success-1', reasoning: `I say ${answer}`, evidence, answer }], confidence };
}

async function inTurn(
  judge: typeof byCriteria,
  first: unknown,
  panel: readonly unknown[],
  changed?: Partial<CascadeRules>,
) {
  const cheap = fakeModel([first], 'fake/cheap');
  const others = panel.map((reply, index) => fakeModel([reply], `fake/m${index + 1}`));
  const result = await askCascade(judge, sampleSubject(), {
    first: contextOf(cheap),
    panel: others.map((model) => contextOf(model)),
    rules: { ...rules, ...changed },
  });
  const prompted = [cheap, ...others].map(({ requests }) => requests.length);
  return { result: judgeResultSchema.parse(result), prompted };
}

describe('a cheap model before the panel', () => {
  const [met, not] = [replyWith('met'), replyWith('not-met')];
  const scored = (value: number) => ({ score: value, reason: `worth ${value}` });

  it.each([
    ['met', byCriteria, met, 'pass'],
    ['not met', byCriteria, not, 'fail'],
    ['a confidence at the limit', byCriteria, replyWith('met', 0.8), 'pass'],
    ['a score far from the threshold', byScore, scored(0.2), 'fail'],
  ])('decides alone where it is sure: %s', async (_what, judge, reply, state) => {
    const { result, prompted } = await inTurn(judge, reply, [met, met, met]);
    expect(result).toMatchObject({ state, cascade: 'settled', model: 'fake/cheap' });
    expect(prompted).toEqual([1, 0, 0, 0]);
  });

  it.each([
    ['it cannot tell', byCriteria, replyWith('cannot-tell'), not],
    ['it gives no quote for what it claims', byCriteria, { criteria: [{ ...met.criteria[0], evidence: [] }] }, not],
    ['it is not certain', byCriteria, replyWith('met', 0.79), not],
    ['its score is near the threshold', byScore, scored(0.85), scored(0.3)],
    ['its reply cannot be read', byCriteria, 'I think so.', not],
    ['it is down', byCriteria, new AssayError('MODEL_UNAVAILABLE', 'down'), not],
  ])('leaves the verdict to the panel where %s', async (_what, judge, reply, ofPanel) => {
    const { result, prompted } = await inTurn(judge, reply, [ofPanel, ofPanel, ofPanel]);
    expect(result).toMatchObject({ state: 'fail', cascade: 'escalated', model: 'fake/m1, fake/m2, fake/m3' });
    expect(prompted.slice(1)).toEqual([1, 1, 1]);
    expect(result.panel?.map(({ model }) => model)).toEqual(['fake/cheap', 'fake/m1', 'fake/m2', 'fake/m3']);
  });

  it('is checked by the panel, which has the last word and is paid for beside it', async () => {
    const { result } = await inTurn(byCriteria, met, [not], { check: 1 });
    expect(result).toMatchObject({ state: 'fail', cascade: 'checked', model: 'fake/m1' });
    expect(result.warnings).toEqual(['fake/cheap was sure of pass; the panel says fail']);
    expect(result.usage).toEqual({ inputTokens: 200, outputTokens: 20 });
    expect(result.costUsd).toBeCloseTo(0.002, 12);
  });

  it('waits for its own reply in a batch before anything else is sent', async () => {
    const { result, prompted } = await inTurn(byCriteria, new AssayError('JUDGE_WAITING', 'in a batch'), [met]);
    expect(result).toMatchObject({ state: 'error', fault: { code: 'JUDGE_WAITING' } });
    expect(prompted).toEqual([1, 0]);
  });
});
