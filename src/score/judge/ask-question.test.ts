import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import { endingModel, fakeModel } from '../../testing/fakes/judge/fake-model.ts';
import { contextOf, sampleSubject } from '../../testing/fakes/judge/sample-subject.ts';
import { judgeModes } from './index.ts';
import type { JudgeMode } from './judge.ts';
import { criteria } from './modes/criteria.ts';
import { prepareJudge } from './prepare-judge.ts';

const configs: Readonly<Record<JudgeMode['mode'], unknown>> = {
  criteria: { successCriteria: 'The table is booked' },
  rubric: { rubric: { criteria: [{ id: 'a', weight: 1, description: 'first' }] }, passThreshold: 0.7 },
  score: {},
  protocol: { passCriteria: ['result.status === "confirmed"'] },
  groundedness: {},
};

describe.each(judgeModes)('when the provider fails in $mode mode', (mode) => {
  const judge = prepareJudge(mode, mode.configSchema.parse(configs[mode.mode]));

  it('it is an error with the code and blame of the provider', async () => {
    const model = fakeModel([new AssayError('MODEL_UNAVAILABLE', '503 from the provider')]);
    const answer = await judge.ask(sampleSubject(), contextOf(model));
    expect(answer).toMatchObject({ state: 'error', fault: { code: 'MODEL_UNAVAILABLE', blame: 'judge' } });
    expect(answer.reason).toBe('The judge gave no answer: 503 from the provider');
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

describe('a reply that ends early', () => {
  const judge = prepareJudge(criteria, { successCriteria: 'The table is booked' });
  const met = (quote: string, event = 'e3') => ({
    criteria: [{ id: 'success-1', reasoning: 'seen', evidence: [{ event, quote }], answer: 'met' }],
    confidence: 1,
  });
  const good = { text: JSON.stringify(met('BK-7731')), finishReason: 'stop' } as const;

  it('is requested once more with twice the token limit when it was cut', async () => {
    const model = endingModel([{ text: '{"criteria": [', finishReason: 'length' }, good]);
    expect(await judge.ask(sampleSubject(), contextOf(model))).toMatchObject({ state: 'pass', costUsd: 0.002 });
    const [first, second] = model.requests.map(({ maxOutputTokens }) => maxOutputTokens ?? 0);
    expect(second).toBe(2 * (first ?? 0));
    expect(model.requests[1]?.messages).toHaveLength(1);
  });

  it('is named when it is cut again, with the setting that gives it more room', async () => {
    const model = endingModel([{ text: '{"criteria": [', finishReason: 'length' }]);
    const answer = await judge.ask(sampleSubject(), contextOf(model, { maxOutputTokens: 300 }));
    expect(answer).toMatchObject({
      state: 'error',
      reason: "The judge's reply was cut off at its limit of 600 output tokens.",
      fault: { code: 'JUDGE_REPLY_CUT', hint: expect.stringContaining('judge.maxOutputTokens') },
    });
    expect(model.requests).toHaveLength(2);
  });

  it('is named a refusal when the provider filtered it, and is not paid for twice', async () => {
    const model = endingModel([{ text: '', finishReason: 'content-filter' }]);
    const answer = await judge.ask(sampleSubject(), contextOf(model));
    expect(answer).toMatchObject({ state: 'error', fault: { code: 'JUDGE_REFUSED' } });
    expect(answer.reason).toContain('refused');
    expect(model.requests).toHaveLength(1);
  });
});

describe('a quote that is not in the trace', () => {
  const judge = prepareJudge(criteria, { successCriteria: 'The table is booked' });
  const met = (quote: string, event = 'e3') => ({
    criteria: [{ id: 'success-1', reasoning: 'seen', evidence: [{ event, quote }], answer: 'met' }],
    confidence: 1,
  });

  it('may be corrected once, which is billed', async () => {
    const model = fakeModel([met('BK-7732'), met('BK-7731')]);
    expect(await judge.ask(sampleSubject(), contextOf(model))).toMatchObject({ state: 'pass', costUsd: 0.002 });
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('BK-7732');
  });

  it('discards the verdict when it is wrong again, naming the quote and the event', async () => {
    const model = fakeModel([met('BK-7732'), met('Book a table', 'e1')]);
    const answer = await judge.ask(sampleSubject(), contextOf(model));
    expect(answer).toMatchObject({ state: 'error', fault: { code: 'JUDGE_UNDECIDED' }, costUsd: 0.002 });
    expect(answer.reason).toContain(
      `The judge's quote "Book a table" (event e1) is not evidence: the event contains words of the user, so its verdict was discarded`,
    );
    expect(model.requests).toHaveLength(2);
  });

  it('keeps the first verdict when the second reply cannot be read', async () => {
    const model = fakeModel([met('BK-7732'), 'nonsense']);
    const answer = await judge.ask(sampleSubject(), contextOf(model));
    expect(answer.reason).toContain(`"BK-7732" (event e3) is not in the trace, so its verdict was discarded`);
  });

  it('counts when the author lets the words of the user count', async () => {
    const widened = prepareJudge(criteria, {
      successCriteria: 'A table is requested',
      evidenceFrom: ['agent', 'tools', 'user'],
    });
    const model = fakeModel([met('Book a table', 'e1')]);
    expect(await widened.ask(sampleSubject(), contextOf(model))).toMatchObject({ state: 'pass' });
    expect(model.requests[0]?.system).toContain('"agent" or "tools" or "user"');
  });
});

describe('failure criteria alone', () => {
  it('pass without a quote when they are not met', async () => {
    const judge = prepareJudge(criteria, { failureCriteria: 'The agent is rude' });
    const reply = {
      criteria: [{ id: 'failure-1', reasoning: 'it is polite', evidence: [], answer: 'not-met' }],
      confidence: 1,
    };
    expect(await judge.ask(sampleSubject(), contextOf(fakeModel([reply])))).toMatchObject({ state: 'pass' });
  });
});
