import { describe, expect, it } from 'vitest';
import { fakeModel } from '../../../testing/fakes/judge/fake-model.ts';
import { contextOf, sampleSubject } from '../../../testing/fakes/judge/sample-subject.ts';
import { prepareJudge } from '../prepare-judge.ts';
import { criteria } from './criteria.ts';

const config = { successCriteria: ['The table is booked', 'A reference is given'], failureCriteria: 'The agent lies' };
const proof = [{ event: 'e3', quote: 'BK-7731' }];

type Answer = 'met' | 'not-met' | 'cannot-tell';

function reply(answers: readonly [Answer, Answer, Answer]) {
  const ids = ['success-1', 'success-2', 'failure-1'];
  return {
    criteria: answers.map((answer, index) => ({
      id: ids[index],
      reasoning: `because ${index}`,
      evidence: answer === 'met' ? proof : [],
      answer,
    })),
    confidence: 0.75,
  };
}

async function ask(answers: readonly [Answer, Answer, Answer]) {
  return prepareJudge(criteria, config).ask(sampleSubject(), contextOf(fakeModel([reply(answers)])));
}

describe('criteria mode', () => {
  const met = 'met';
  const not = 'not-met';
  const unclear = 'cannot-tell';

  it.each([
    { answers: [met, met, not], state: 'pass' },
    { answers: [met, not, not], state: 'fail' },
    { answers: [met, met, met], state: 'fail' },
    { answers: [unclear, not, unclear], state: 'fail' },
    { answers: [unclear, met, met], state: 'fail' },
    { answers: [met, unclear, not], state: 'error' },
    { answers: [met, met, unclear], state: 'error' },
    { answers: [unclear, unclear, unclear], state: 'error' },
  ] as const)('$answers is $state', async ({ answers, state }) => {
    expect((await ask(answers)).state).toBe(state);
  });

  it('keeps reasons, evidence and confidence, and scores the verdict only', async () => {
    expect(await ask([met, met, not])).toMatchObject({
      mode: 'criteria',
      model: 'fake/judge',
      promptVersion: 'criteria.v3+rules.v3',
      score: 1,
      confidence: 0.75,
      reason: '2 success criteria met, none of 1 failure criterion met',
      criteria: [
        { text: 'The table is booked', kind: 'success', answer: 'met', evidence: [{ event: 'e3', isVerified: true }] },
        { text: 'A reference is given', kind: 'success', answer: 'met', reason: 'because 1' },
        { text: 'The agent lies', kind: 'failure', answer: 'not-met', reason: 'because 2', evidence: [] },
      ],
      costUsd: 0.001,
    });
    expect(await ask([met, not, not])).toMatchObject({
      score: 0,
      confidence: 0.75,
      reason: 'success criterion not met: A reference is given (because 1)',
    });
  });

  it('asks for reasoning before the answer, in a schema that providers can enforce', async () => {
    const model = fakeModel([reply([met, met, not])]);
    await prepareJudge(criteria, config).ask(sampleSubject(), contextOf(model));
    const schema = model.requests[0]?.output?.schema as {
      properties: { criteria: { items: { properties: object; required: string[]; additionalProperties: boolean } } };
    };
    const { properties, required, additionalProperties } = schema.properties.criteria.items;
    expect(Object.keys(properties)).toEqual(['id', 'reasoning', 'evidence', 'answer']);
    expect(required).toEqual(['id', 'reasoning', 'evidence', 'answer']);
    expect(additionalProperties).toBe(false);
  });

  it('adds the instructions and references of scenario and config to the rules', async () => {
    const model = fakeModel([reply([met, met, not])]);
    const judge = prepareJudge(criteria, {
      ...config,
      instructions: 'Times are local.',
      references: [{ name: 'menu', text: 'Soup' }],
    });
    const subject = sampleSubject({
      instructions: ['Guests are adults.'],
      references: [{ name: 'map', text: 'North' }],
    });
    await judge.ask(subject, contextOf(model));
    const [request] = model.requests;
    expect(request?.system).toMatch(/^You are an expert evaluator. Return ONLY valid JSON\.\n\n/);
    expect(request?.system).toContain('- "Guests are adults."\n- "Times are local."');
    expect(request?.messages[0]?.content).toContain(
      '{"reference":"map","text":"North"}\n{"reference":"menu","text":"Soup"}',
    );
  });

  it.each([{}, { successCriteria: [] }, { successCriteria: '' }, { successCriteria: 'a', other: 1 }])(
    'refuses the config %j',
    (wrong) => {
      expect(criteria.configSchema.safeParse(wrong).success).toBe(false);
    },
  );
});
