import { describe, expect, it } from 'vitest';
import { AssayError } from '../../../domain/errors.ts';
import { fakeModel } from '../../../testing/fakes/judge/fake-model.ts';
import { contextOf, message, sampleSubject } from '../../../testing/fakes/judge/sample-subject.ts';
import { llmJudgeMetric } from '../../evaluators/assertions/judge/workflow-judge.ts';
import { prepareJudge } from '../prepare-judge.ts';
import { score } from './score.ts';

function judgeWith(config: object = {}) {
  return prepareJudge(score, score.configSchema.parse(config));
}

describe('score mode', () => {
  it.each([
    { given: 0.8, state: 'pass' },
    { given: 0.79, state: 'fail' },
    { given: 1, state: 'pass' },
    { given: 0, state: 'fail' },
  ])('a score of $given is a $state at the default threshold', async ({ given, state }) => {
    const model = fakeModel([{ score: given, reason: 'said' }]);
    expect(await judgeWith({ evidence: 'optional' }).ask(sampleSubject(), contextOf(model))).toMatchObject({
      state,
      score: given,
      threshold: 0.8,
      reason: 'said',
      warnings: ['The judge gave no evidence for its score'],
    });
  });

  it('passes nothing without evidence unless configured to, and fails as before', async () => {
    const ask = (given: number) =>
      judgeWith().ask(sampleSubject(), contextOf(fakeModel([{ score: given, reason: 'said' }])));
    expect(await ask(1)).toMatchObject({
      state: 'error',
      reason: 'could not be judged: the judge gave no evidence for its score',
      fault: { code: 'JUDGE_UNDECIDED' },
    });
    expect(await ask(0.2)).toMatchObject({ state: 'fail', score: 0.2, reason: 'said' });
  });

  it('is undecided when the evidence is invented, whatever the score', async () => {
    for (const given of [0, 1]) {
      const reply = { reasoning: 'r', evidence: [{ event: 'e3', quote: 'made up' }], score: given, reason: 'said' };
      const answer = await judgeWith().ask(sampleSubject(), contextOf(fakeModel([reply])));
      expect(answer).toMatchObject({ state: 'error', fault: { code: 'JUDGE_UNDECIDED' } });
    }
  });

  it('goes through the steps of the author in their order, behind the instructions', async () => {
    const model = fakeModel([{ score: 1, reason: 'said' }]);
    const config = { instructions: 'Only coherence counts.', steps: ['Name the topic.', 'Compare each sentence.'] };
    await judgeWith({ ...config, evidence: 'optional' }).ask(sampleSubject(), contextOf(model));
    const { system = '' } = model.requests[0] ?? {};
    const places = [config.instructions, ...config.steps].map((text) => system.indexOf(text));
    expect(places.toSorted((a, b) => a - b)).toEqual(places);
    expect(places[0]).toBeGreaterThan(0);
    expect(system).toContain('Step 2 of the evaluation: Compare each sentence.');
  });

  it('asks in the words of the template, with tool calls, results and what was expected', async () => {
    const model = fakeModel([{ score: 1, reason: 'said' }]);
    await judgeWith().ask(sampleSubject({ name: 'a "booking" <x>' }), contextOf(model));
    const { system, messages } = model.requests[0] ?? {};
    const user = messages?.[0]?.content ?? '';
    expect(system).toContain('You are an expert evaluator. Return ONLY valid JSON.');
    expect(user).toMatch(/<workflow name="a \\"booking\\" \\u003cx\\u003e">\n<data-\w+>\n\{"event":"e1"/);
    expect(user).toMatch(/<expected>\n<data-\w+>\n\{"expected":\{"status":"confirmed"\}\}\n<\/data-\w+>\n<\/expected>/);
    expect(user).toContain('"tool":"book_table"');
    expect(user).toContain('"reference":"BK-7731"');
    expect(system).toMatch(/"score":0-1,"reason":"…"\}$/);
  });

  it('shows the last 20 messages unless configured otherwise', async () => {
    const trace = Array.from({ length: 30 }, (_, index) => message('user', `message ${index + 1} of many`));
    const promptOf = async (config: object) => {
      const model = fakeModel([{ score: 1, reason: 'said' }]);
      await judgeWith(config).ask(sampleSubject({ trace }), contextOf(model));
      return model.requests[0]?.messages[0]?.content.match(/"text":"message/g)?.length;
    };
    expect(await promptOf({})).toBe(20);
    expect(await promptOf({ maxMessages: 5 })).toBe(5);
  });

  it('becomes the metric "LLM Judge" in the words of the contract', async () => {
    const ask = async (reply: unknown) => {
      const answer = await judgeWith({ passThreshold: 0.7, evidence: 'optional' }).ask(
        sampleSubject(),
        contextOf(fakeModel([reply])),
      );
      return llmJudgeMetric(answer);
    };
    expect(await ask({ score: 0.9, reason: 'good' })).toEqual({
      metric: 'LLM Judge',
      passed: true,
      score: 0.9,
      details: 'Score: 0.90/0.70 - good',
    });
    expect(await ask('nonsense')).toMatchObject({
      passed: false,
      score: 0,
      details: expect.stringMatching(/^Evaluation failed: /),
    });
    expect(await ask(new AssayError('MODEL_NO_KEY', 'no key'))).toMatchObject({ passed: false, score: 0 });
  });
});
