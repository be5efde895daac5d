import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import { judgeAnswerSchema } from '../../domain/judge-result.ts';
import { answeringModel, fakeModel } from '../../testing/fakes/judge/fake-model.ts';
import { contextOf, message, sampleSubject } from '../../testing/fakes/judge/sample-subject.ts';
import type { JudgeCache } from './judge.ts';
import { score } from './modes/score.ts';
import { prepareJudge, skippedAnswer } from './prepare-judge.ts';

const judge = prepareJudge(score, { passThreshold: 0.8, maxMessages: 20, evidence: 'optional' });
const good = { score: 0.9, reason: 'good' };

describe('failed gates', () => {
  const subject = sampleSubject({ failedGates: ['file_exists: a.txt is missing', 'script: exit code 1'] });

  it('decide without asking', async () => {
    const model = fakeModel([good]);
    expect(await judge.ask(subject, contextOf(model))).toMatchObject({
      state: 'fail',
      reason: 'Failed gates are final: file_exists: a.txt is missing; script: exit code 1',
      costUsd: 0,
    });
    expect(model.requests).toHaveLength(0);
  });

  it.each([
    { reply: good, state: 'pass' },
    { reply: { score: 0.1, reason: 'bad' }, state: 'fail' },
    { reply: 'nonsense', state: 'error' },
  ])('stand when the judge is prompted anyway and answers $state', async ({ reply, state }) => {
    const answer = await judge.ask(subject, contextOf(fakeModel([reply]), { asksDespiteFailedGates: true }));
    expect(answer.state).toBe('fail');
    expect(answer.fault).toBeUndefined();
    expect(answer.reason).toContain(`(the judge said ${state}: `);
  });
});

describe('an answer', () => {
  it('is of the schema that records keep', async () => {
    const answer = await judge.ask(sampleSubject(), contextOf(fakeModel([good])));
    expect(judgeAnswerSchema.parse(JSON.parse(JSON.stringify(answer)))).toEqual(JSON.parse(JSON.stringify(answer)));
  });

  it.each(['fake/judge', 'judge', 'other/JUDGE', 'fake/judge-2026-01-31', 'judge-latest'])(
    'warns when the model under test is the judge: %s',
    async (testedModel) => {
      const answer = await judge.ask(sampleSubject({ testedModel }), contextOf(fakeModel([good])));
      expect(answer.warnings.join()).toContain('The judge is the model under test');
    },
  );

  it.each(['fake/judge-mini', 'fake/other', undefined])('does not warn for %s', async (testedModel) => {
    const answer = await judge.ask(sampleSubject({ testedModel }), contextOf(fakeModel([good])));
    expect(answer.warnings.join()).not.toContain('The judge is the model under test');
  });

  it('is an error when the prompt cannot be fenced or the cache is broken, not a rejection', async () => {
    const unfenced = await judge.ask(sampleSubject(), contextOf(fakeModel([good]), { nonce: () => '' }));
    expect(unfenced).toMatchObject({ state: 'error', fault: { code: 'INTERNAL' } });
    const broken: JudgeCache = {
      read: async () => {
        throw new AssayError('STORE_UNAVAILABLE', 'locked');
      },
      write: async () => {},
    };
    const uncached = await judge.ask(
      sampleSubject({ reusesBeforeRun: 'r-1' }),
      contextOf(fakeModel([good]), { cache: broken }),
    );
    expect(uncached).toMatchObject({ state: 'error', fault: { code: 'STORE_UNAVAILABLE', blame: 'store' } });
  });

  it('is not made up for a run that was aborted', async () => {
    const controller = new AbortController();
    const model = answeringModel(() => {
      controller.abort();
      throw new AssayError('INTERRUPTED', 'stopped');
    });
    const asking = judge.ask(sampleSubject(), contextOf(model, { signal: controller.signal }));
    await expect(asking).rejects.toThrow('stopped');
  });

  it('of a judge that was switched off is skipped, with the reason', () => {
    expect(skippedAnswer(score, 'The judge was switched off.')).toMatchObject({
      state: 'skipped',
      mode: 'score',
      reason: 'The judge was switched off.',
      costUsd: 0,
    });
  });

  it('never rests on secrets: none reaches the model', async () => {
    const secret = 'sk-very-secret';
    const model = fakeModel(['nonsense', good]);
    const subject = sampleSubject({
      name: secret,
      task: secret,
      expected: { [secret]: secret },
      finalText: secret,
      references: [{ name: secret, text: secret }],
      instructions: [secret],
      trace: [message('assistant', secret)],
    });
    await judge.ask(subject, contextOf(model, { redact: (text) => text.replaceAll(secret, '[redacted]') }));
    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(model.requests)).not.toContain(secret);
  });
});
