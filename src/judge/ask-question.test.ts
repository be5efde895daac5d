import { describe, expect, it } from 'vitest';
import { AssayError } from '../domain/errors.ts';
import { fakeModel } from './fakes/fake-model.ts';
import { contextOf, sampleSubject } from './fakes/sample-subject.ts';
import { judgeModes } from './index.ts';
import type { JudgeMode } from './judge.ts';
import { prepareJudge } from './prepare-judge.ts';

const configs: Readonly<Record<JudgeMode['mode'], unknown>> = {
  criteria: { successCriteria: 'The table is booked' },
  rubric: { rubric: { criteria: [{ id: 'a', weight: 1, description: 'first' }] }, passThreshold: 0.7 },
  score: {},
  protocol: { passCriteria: ['result.status === "confirmed"'] },
};

describe.each(judgeModes)('when the provider fails in $mode mode', (mode) => {
  const judge = prepareJudge(mode, mode.configSchema.parse(configs[mode.mode]));

  it('it is an error with the code and blame of the provider', async () => {
    const model = fakeModel([new AssayError('MODEL_UNAVAILABLE', '503 from the provider')]);
    const answer = await judge.ask(sampleSubject(), contextOf(model));
    expect(answer).toMatchObject({ state: 'error', fault: { code: 'MODEL_UNAVAILABLE', blame: 'model' } });
    expect(answer.reason).toBe('The judge could not be asked: 503 from the provider');
  });

  it('a failure during the repair keeps the reply and what it cost', async () => {
    const model = fakeModel(['half', new AssayError('MODEL_TIMEOUT', 'too slow')]);
    const answer = await judge.ask(sampleSubject(), contextOf(model));
    expect(answer).toMatchObject({ state: 'error', fault: { code: 'MODEL_TIMEOUT' }, raw: 'half', costUsd: 0.001 });
  });

  it('a missing key is an error that names the key', async () => {
    const model = fakeModel([new AssayError('MODEL_NO_KEY', 'OPENAI_API_KEY is not set')]);
    const answer = await judge.ask(sampleSubject(), contextOf(model));
    expect(answer).toMatchObject({
      state: 'error',
      reason: expect.stringContaining('OPENAI_API_KEY is not set'),
      fault: { code: 'MODEL_NO_KEY' },
    });
  });
});
