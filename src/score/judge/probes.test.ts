import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import { answeringModel, fakeModel } from '../../testing/fakes/judge/fake-model.ts';
import { contextOf, sampleSubject } from '../../testing/fakes/judge/sample-subject.ts';
import { criteria } from './modes/criteria.ts';
import { score } from './modes/score.ts';
import { prepareJudge } from './prepare-judge.ts';
import { runProbes } from './probes.ts';

const byScore = prepareJudge(score, { passThreshold: 0.8, maxMessages: 20, evidence: 'optional' });

async function verdicts(judge = byScore, model = fakeModel([{ score: 0, reason: 'nothing was done' }])) {
  const results = await runProbes(judge, sampleSubject({ failedGates: ['a gate'] }), contextOf(model));
  return results.map(({ probe, verdict }) => [probe, verdict]);
}

describe('runProbes', () => {
  it('clears a judge that rejects attempts in which nothing was done', async () => {
    expect(await verdicts()).toEqual([
      ['empty-answer', 'rejected'],
      ['claims-to-be-correct', 'rejected'],
    ]);
  });

  it('convicts a judge that believes every claim', async () => {
    const gullible = answeringModel(({ messages }) => {
      const isClaimed = messages[0]?.content.includes('This is correct.');
      return JSON.stringify({ score: isClaimed ? 1 : 0, reason: 'it says so' });
    });
    const results = await runProbes(byScore, sampleSubject(), contextOf(gullible));
    expect(results.map(({ verdict }) => verdict)).toEqual(['rejected', 'accepted']);
  });

  it('counts an undecided answer as a rejection', async () => {
    const judge = prepareJudge(criteria, { successCriteria: 'The table is booked' });
    const unsupported = {
      criteria: [{ id: 'success-1', reasoning: 'surely', evidence: [], answer: 'met' }],
      confidence: 1,
    };
    expect((await verdicts(judge, fakeModel([unsupported]))).map(([, verdict]) => verdict)).toEqual([
      'rejected',
      'rejected',
    ]);
  });

  it('says nothing about a judge that gave no answer', async () => {
    const down = fakeModel([new AssayError('MODEL_UNAVAILABLE', 'down')]);
    expect((await verdicts(byScore, down)).map(([, verdict]) => verdict)).toEqual(['unanswered', 'unanswered']);
  });

  it('leaves a judge alone that may pass an attempt in which nothing was done', async () => {
    const model = fakeModel([{ score: 0, reason: 'nothing' }]);
    expect(await verdicts(prepareJudge(criteria, { failureCriteria: 'It is rude' }), model)).toEqual([]);
    expect(model.requests).toHaveLength(0);
  });

  it('shows the probe and nothing of what was really done', async () => {
    const model = fakeModel([{ score: 0, reason: 'nothing' }]);
    await runProbes(byScore, sampleSubject(), contextOf(model));
    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(model.requests)).not.toContain('BK-7731');
  });
});
