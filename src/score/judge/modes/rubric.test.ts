import { describe, expect, it } from 'vitest';
import { fakeModel } from '../../../testing/fakes/judge/fake-model.ts';
import { contextOf, sampleSubject } from '../../../testing/fakes/judge/sample-subject.ts';
import { prepareJudge } from '../prepare-judge.ts';
import { rubric } from './rubric.ts';

const capture = {
  criteria: [
    { id: 'command_correctness', weight: 0.3, description: 'Uses valid CLI commands with correct syntax' },
    { id: 'task_completion', weight: 0.4, description: 'Completes all aspects of the assigned task' },
    { id: 'efficiency', weight: 0.3, description: 'No unnecessary commands or dead ends' },
  ],
};
const response = {
  scores: { command_correctness: 0.85, task_completion: 0.9, efficiency: 0.7 },
  weighted_score: 0.83,
  confidence: 0.8,
  issues: ["Retried 'create' 3 times"],
  highlights: ['Good use of search'],
};

function reasoning(quotes: Readonly<Record<string, string>>) {
  return capture.criteria.map(({ id }) => ({
    criterion: id,
    reason: `about ${id}`,
    evidence: [{ event: 'e3', quote: quotes[id] ?? 'BK-7731' }],
  }));
}

async function ask(reply: unknown, config: object = {}) {
  const judge = prepareJudge(rubric, rubric.configSchema.parse({ rubric: capture, passThreshold: 0.7, ...config }));
  return judge.ask(sampleSubject(), contextOf(fakeModel([reply])));
}

describe('rubric mode', () => {
  it('recomputes the weighted score and keeps the whole response beside it', async () => {
    expect(await ask({ ...response, reasoning: reasoning({}) })).toMatchObject({
      state: 'pass',
      score: 0.825,
      threshold: 0.7,
      confidence: 0.8,
      response: { ...response, weighted_score: 0.825, model_weighted_score: 0.83 },
      warnings: [],
    });
  });

  it('reports a sum of the judge that is off by more than 0.01, and does not believe it', async () => {
    const answer = await ask({ ...response, weighted_score: 1, reasoning: reasoning({}) }, { passThreshold: 0.9 });
    expect(answer).toMatchObject({ state: 'fail', score: 0.825 });
    expect(answer.warnings).toEqual(["The judge's own weighted score 1 differs from the recomputed 0.825"]);
  });

  it('passes at the threshold itself, however the fractions add up', async () => {
    const level = { ...response, scores: { command_correctness: 0.7, task_completion: 0.7, efficiency: 0.7 } };
    expect(await ask({ ...level, weighted_score: 0.7, reasoning: reasoning({}) })).toMatchObject({ state: 'pass' });
  });

  it('passes nothing without evidence, unless configured to, and then reports it', async () => {
    expect(await ask(response)).toMatchObject({ state: 'error', fault: { code: 'JUDGE_UNDECIDED' } });
    expect(await ask(response, { evidence: 'optional' })).toMatchObject({
      state: 'pass',
      warnings: ['The judge gave no evidence for its scores'],
    });
  });

  it('fails what the judge scores low without a quote: what did not happen cannot be quoted', async () => {
    const low = { ...response, scores: { command_correctness: 0.2, task_completion: 0.1, efficiency: 0.3 } };
    expect(await ask({ ...low, weighted_score: 0.2 })).toMatchObject({ state: 'fail', score: 0 });
  });

  it('gives a score with made-up evidence no weight in a pass and full weight in a fail', async () => {
    const madeUp = { ...response, reasoning: reasoning({ efficiency: 'never happened' }) };
    expect(await ask(madeUp, { passThreshold: 0.6 })).toMatchObject({ state: 'pass', score: 0.615 });
    expect(await ask(madeUp, { passThreshold: 0.95 })).toMatchObject({ state: 'fail' });
    const between = await ask(madeUp, { passThreshold: 0.8 });
    expect(between).toMatchObject({ state: 'error', fault: { code: 'JUDGE_UNDECIDED' } });
    expect(between.criteria?.map(({ answer }) => answer)).toEqual(['met', 'met', 'cannot-tell']);
    expect(between.reason).toContain('between 0.615 and 0.915 (without evidence in the trace: efficiency)');
  });

  describe('required criteria', () => {
    const required = {
      criteria: capture.criteria.map((criterion) => ({ ...criterion, required: criterion.id === 'efficiency' })),
    };

    it('fail the rubric below the threshold, whatever the sum', async () => {
      const answer = await ask({ ...response, reasoning: reasoning({}) }, { rubric: required, passThreshold: 0.75 });
      expect(answer).toMatchObject({ state: 'fail', reason: 'required criterion efficiency has score 0.7 < 0.75' });
      expect(await ask({ ...response, reasoning: reasoning({}) }, { rubric: required })).toMatchObject({
        state: 'pass',
      });
    });

    it('cannot be met by made-up evidence, nor missed by it', async () => {
      const madeUp = { ...response, reasoning: reasoning({ efficiency: 'never happened' }) };
      const answer = await ask(madeUp, { rubric: required, passThreshold: 0.6 });
      expect(answer).toMatchObject({ state: 'error', fault: { code: 'JUDGE_UNDECIDED' } });
      expect(answer.reason).toContain('required criterion efficiency');
    });
  });

  describe('deductions', () => {
    const mistake = { id: 'leak', weight: 0, deduction: 0.3, description: 'It prints a password' };
    const rubricWith = { criteria: [...capture.criteria, mistake] };
    const reply = (leak: number, quote?: string) => ({
      ...response,
      scores: { ...response.scores, leak },
      reasoning: [
        ...reasoning({}),
        { criterion: 'leak', reason: 'r', evidence: quote === undefined ? [] : [{ event: 'e3', quote }] },
      ],
    });

    it('are taken off as far as the mistake happened', async () => {
      const none = await ask(reply(0), { rubric: rubricWith });
      expect(none).toMatchObject({ state: 'pass', score: 0.825, warnings: [] });
      const half = await ask(reply(0.5, 'BK-7731'), { rubric: rubricWith });
      expect(half).toMatchObject({ state: 'fail', score: 0.675 });
      expect(half.criteria?.at(-1)).toMatchObject({ kind: 'failure', answer: 'met', score: 0.5 });
    });

    it('need evidence: without it, the mistake may or may not have happened', async () => {
      expect(await ask(reply(1), { rubric: rubricWith })).toMatchObject({ state: 'error' });
      expect(await ask(reply(1, 'made up'), { rubric: rubricWith, passThreshold: 0.5 })).toMatchObject({
        state: 'pass',
        score: 0.525,
      });
    });

    it.each([
      [{ ...mistake, weight: 0.1 }, 'must sum to 1.0'],
      [{ ...mistake, required: true }, 'cannot be required'],
      [{ ...mistake, deduction: 2 }, 'deduction'],
    ])('are refused where they contradict themselves: %j', (criterion, message) => {
      const parsed = rubric.configSchema.safeParse({
        rubric: { criteria: [...capture.criteria, criterion] },
        passThreshold: 0.7,
      });
      expect(JSON.stringify(parsed.error?.issues)).toContain(message);
    });
  });

  it('asks for the reasoning before the scores', async () => {
    const model = fakeModel([response]);
    await prepareJudge(rubric, { rubric: capture, passThreshold: 0.7, evidence: 'optional' }).ask(
      sampleSubject(),
      contextOf(model),
    );
    const schema = model.requests[0]?.output?.schema as { properties: object };
    expect(Object.keys(schema.properties).slice(0, 2)).toEqual(['reasoning', 'scores']);
    expect(model.requests[0]?.system).toContain(
      '- "task_completion", weight 0.4: "Completes all aspects of the assigned task"',
    );
  });
});
