import { describe, expect, it } from 'vitest';
import { workflowScore } from '../../../../domain/mcp-findings.ts';
import { fakeModel } from '../../../../testing/fakes/judge/fake-model.ts';
import { contextOf as judgeContextOf } from '../../../../testing/fakes/judge/sample-subject.ts';
import { ask } from '../../../../testing/fakes/score/conversation.ts';
import { textResult, workflowContext, workflowTrace } from '../../../../testing/fakes/score/workflow.ts';
import type { JudgeErrors, Judging } from '../../../judge/judge.ts';
import { skippedAnswer } from '../../../judge/prepare-judge.ts';
import { scoreJudge } from './score-judge.ts';

const trace = workflowTrace(
  { calls: [{ tool: 'add', result: textResult('The sum is 5') }], says: 'It is five.' },
  { says: 'Goodbye.' },
);
const steps = [{ user: 'Add 2 and 3' }, { user: 'That is all', expectedState: 'goodbye' }];

interface Asking {
  readonly errors?: JudgeErrors;
  readonly isSkipped?: boolean;
  readonly failures?: readonly string[];
  readonly workflow?: object;
}

/** Asks the judge of a workflow with a model that gives these replies. */
async function judged(replies: Parameters<typeof fakeModel>[0], asking: Asking = {}) {
  const model = fakeModel(replies);
  const judging: Judging = {
    ask: async (judge, subject) =>
      asking.isSkipped ? skippedAnswer(judge, 'no key') : judge.ask(subject, judgeContextOf(model)),
    embed: () => Promise.reject(new Error('there is no model')),
    errorsIn: () => asking.errors ?? 'error',
  };
  const { failures = [], workflow = {} } = asking;
  const context = workflowContext({ steps, ...workflow }, trace, { judging, failures });
  const answer = await ask(scoreJudge, { evidence: 'optional' }, context);
  const findings = 'findings' in answer ? answer.findings : undefined;
  return { answer, metrics: findings?.workflow, prompt: model.requests[0]?.messages[0]?.content ?? '' };
}

describe('the judge of a workflow', () => {
  it('is its fourth figure', async () => {
    const { answer, metrics } = await judged([{ score: 0.9, reason: 'well done' }]);
    expect(answer).toMatchObject({ state: 'pass', value: 0.9 });
    expect(metrics).toMatchObject([
      { metric: 'LLM Judge', passed: true, score: 0.9, details: 'Score: 0.90/0.80 - well done' },
    ]);
  });

  it('sees the messages, the calls with their results, the task and what is expected at the end', async () => {
    const { prompt } = await judged([{ score: 1, reason: 'r' }], { workflow: { description: 'Sums' } });
    expect(prompt).toContain('"task":"Sums\\n\\n1. Add 2 and 3\\n2. That is all"');
    expect(prompt).toMatch(/<expected>\n<data-\w+>\n\{"expected":"goodbye"\}/);
    expect(prompt).toContain('"tool":"add"');
    expect(prompt).toContain('The sum is 5');
    expect(prompt).not.toContain('"type":"mcp-server"');
  });

  it('a judge that was not prompted adds no figure', async () => {
    const { answer, metrics } = await judged([], { isSkipped: true });
    expect(answer).toMatchObject({ state: 'skipped', reason: 'no key' });
    expect(metrics).toEqual([]);
  });

  it.each([
    [
      'error',
      'error',
      [{ passed: false, score: 0, state: 'error', details: expect.stringMatching(/^Evaluation failed: /) }],
    ],
    ['fail', 'fail', [{ passed: false, score: 0, details: expect.stringMatching(/^Evaluation failed: /) }]],
    ['ignore', 'skipped', []],
  ] as const)('one that gives no JSON twice, by the rule "%s"', async (errors, state, expected) => {
    const { answer, metrics } = await judged(['junk', 'still junk'], { errors });
    expect(answer.state).toBe(state);
    expect(metrics).toMatchObject(expected);
    expect(metrics?.some((metric) => metric.state === 'error')).toBe(errors === 'error');
  });

  it('what could not be judged counts for nothing in the score', () => {
    const figure = { metric: 'm', passed: true, score: 0.5, details: '' };
    expect(workflowScore([figure, { ...figure, score: 1 }])).toBe(0.75);
    expect(workflowScore([figure, { ...figure, score: 0, state: 'error' }])).toBe(0.5);
    expect(workflowScore([])).toBeNull();
  });
});
