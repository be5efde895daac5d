import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JudgeResult } from '../../domain/judge-result.ts';
import type { Model } from '../../drive/models/model.ts';
import { answeringModel } from '../../testing/fakes/judge/fake-model.ts';
import { contextOf, sampleSubject } from '../../testing/fakes/judge/sample-subject.ts';
import { JointJudging } from './joint-judging.ts';
import type { Judge, JudgeChoice, JudgeSubject, Judging } from './judge.ts';
import { criteria } from './modes/criteria.ts';
import { score } from './modes/score.ts';
import { askPanel } from './panel.ts';
import { prepareJudge } from './prepare-judge.ts';

const choice: JudgeChoice = { models: [], samples: undefined };
const { signal } = new AbortController();

/** The answers by the texts of criteria: they follow from the text alone, whatever else is in the call. */
const answers = {
  proven: { answer: 'met', evidence: [{ event: 'e3', quote: 'BK-7731' }] },
  invented: { answer: 'met', evidence: [{ event: 'e3', quote: 'BK-0000' }] },
  unproven: { answer: 'met', evidence: [] },
  missing: { answer: 'not-met', evidence: [] },
  unclear: { answer: 'cannot-tell', evidence: [] },
} as const;
type Text = keyof typeof answers;
const texts = Object.keys(answers) as Text[];

/** Reads the criteria of a prompt, and answers each by its text. */
const reader: Model = answeringModel(({ system = '' }) => {
  const listed = [...system.matchAll(/^- ((?:success|failure)-\d+): "(\w+)"$/gm)];
  return JSON.stringify({
    criteria: listed.map(([, id, text]) => ({ id, reasoning: `it is ${text}`, ...answers[text as Text] })),
  });
});

interface Outcome {
  readonly results: readonly JudgeResult[];
  readonly calls: number;
}

/** Asks all judges as evaluators of one trial do; those without a subject ask nothing. */
async function together(
  judges: readonly Judge[],
  options: { model?: Model; subjects?: readonly (JudgeSubject | undefined)[]; judging?: Partial<Judging> } = {},
): Promise<Outcome> {
  let calls = 0;
  const { model = reader, subjects = judges.map(() => sampleSubject()) } = options;
  const outer: Judging = {
    ask: (judge, subject) => {
      calls++;
      return askPanel(judge, subject, [contextOf(model)]);
    },
    embed: () => Promise.reject(new Error('no embeddings here')),
    errorsIn: () => 'error',
    ...options.judging,
  };
  const joint = new JointJudging(judges.length, () => outer);
  const members = judges.map((_, place) => joint.member(place));
  const results = await Promise.all(
    judges.map(async (judge, place) => {
      const subject = subjects[place];
      const member = members[place];
      try {
        return subject && (await member?.judging.ask(judge, subject, choice, signal));
      } finally {
        member?.leave();
      }
    }),
  );
  return { results: results.filter((result) => result !== undefined), calls };
}

const judgeOf = (config: object): Judge => prepareJudge(criteria, config);
const verdict = ({ state, reason, criteria: judged, fault, score: value }: JudgeResult) => ({
  state,
  reason,
  judged,
  fault,
  value,
});

const configs = fc
  .record({
    successCriteria: fc.array(fc.constantFrom(...texts), { maxLength: 3 }),
    failureCriteria: fc.array(fc.constantFrom(...texts), { maxLength: 3 }),
  })
  .filter(({ successCriteria, failureCriteria }) => successCriteria.length + failureCriteria.length > 0);

describe('judges of one trial in one call', () => {
  it('give each evaluator the verdict that it gets alone, with its own ids', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(configs, { minLength: 2, maxLength: 6 }), fc.boolean(), async (list, isFailed) => {
        const subject = sampleSubject(isFailed ? { failedGates: ['contains: it does not'] } : {});
        const ask = (judge: Judge) => askPanel(judge, subject, [contextOf(reader)]);
        const alone = await Promise.all(list.map((config) => ask(judgeOf(config))));
        const { results, calls } = await together(list.map(judgeOf), { subjects: list.map(() => subject) });
        expect(results.map(verdict)).toEqual(alone.map(verdict));
        expect(calls).toBeLessThanOrEqual(list.length);
      }),
      { numRuns: 60, seed: 43 },
    );
  });

  const [one, two] = [judgeOf({ successCriteria: 'proven' }), judgeOf({ failureCriteria: ['missing', 'unclear'] })];
  const three = judgeOf({ successCriteria: ['proven', 'proven', 'proven'] });

  it.each([
    ['two about the same subject', [one, two], 1],
    ['as many as have five criteria', [one, three, one], 1],
    ['six criteria', [three, three], 2],
    ['with other notes of the author', [one, judgeOf({ successCriteria: 'proven', instructions: 'Be kind.' })], 2],
    ['with other evidence', [one, judgeOf({ successCriteria: 'proven', evidenceFrom: ['user'] })], 2],
    ['one that looks first', [one, judgeOf({ successCriteria: 'proven', look: { maxLooks: 1 } })], 2],
    ['another mode', [one, prepareJudge(score, { passThreshold: 0.8, maxMessages: 20, evidence: 'optional' })], 2],
  ])('share it where they can: %s', async (_what, judges, calls) => {
    expect((await together(judges)).calls).toBe(calls);
  });

  it('do not share it about other subjects, or where each judge is probed', async () => {
    const subjects = [sampleSubject(), sampleSubject({ task: 'Book a taxi' })];
    expect((await together([one, two], { subjects })).calls).toBe(2);
    expect((await together([one, two], { judging: { asksAlone: true } })).calls).toBe(2);
  });

  it('do not wait for one that asks nothing', async () => {
    const { results, calls } = await together([one, two, one], { subjects: [sampleSubject(), undefined, undefined] });
    expect(results).toMatchObject([{ state: 'pass' }]);
    expect(calls).toBe(1);
  });

  it('are all without a verdict where the reply is unreadable', async () => {
    const { results } = await together([one, two], { model: answeringModel(() => 'All is well.') });
    expect(results).toMatchObject([
      { state: 'error', fault: { code: 'JUDGE_UNREADABLE' } },
      { state: 'error', fault: { code: 'JUDGE_UNREADABLE' } },
    ]);
  });

  it('are split in every answer of a panel too', async () => {
    const judging: Partial<Judging> = {
      ask: (judge, subject) => askPanel(judge, subject, [contextOf(reader), contextOf(reader)]),
    };
    const { results } = await together([one, two], { judging });
    expect(results).toMatchObject([
      { state: 'pass', criteria: [{ id: 'success-1' }], panel: [{ state: 'pass' }, { state: 'pass' }] },
      { state: 'error', criteria: [{ id: 'failure-1' }, { id: 'failure-2' }] },
    ]);
    expect(results[1]?.panel?.map(({ criteria: judged = [] }) => judged.map(({ id }) => id))).toEqual([
      ['failure-1', 'failure-2'],
      ['failure-1', 'failure-2'],
    ]);
  });
});
