import { describe, expect, it } from 'vitest';
import { judgeInputSchema } from '../../../domain/judge-protocol.ts';
import { fakeModel } from '../../../testing/fakes/judge/fake-model.ts';
import { contextOf } from '../../../testing/fakes/judge/sample-subject.ts';
import { judgeProtocol } from '../../criteria/index.ts';
import { prepareJudge } from '../prepare-judge.ts';
import { protocolSubject } from '../protocol-prompt.ts';
import { protocol } from './protocol.ts';

const input = judgeInputSchema.parse({
  testScenario: { name: 'Dry run', input: { dryRun: true }, expectedBehavior: 'Nothing is written' },
  actualResult: { dryRun: true, affectedRows: 13 },
  passCriteria: ['result.dryRun === true', 'result.affectedRows > 0'],
  failCriteria: ['result.committed === true'],
});
const { output: computed } = judgeProtocol(input);

async function ask(reply: unknown, given = input) {
  const model = fakeModel([reply]);
  const { passCriteria, failCriteria } = given;
  const answer = await prepareJudge(protocol, { passCriteria, failCriteria }).ask(
    protocolSubject(given),
    contextOf(model),
  );
  return { answer, request: model.requests[0] };
}

describe('protocol mode', () => {
  it('agrees with a model that answers as computed', async () => {
    const { answer } = await ask(computed);
    expect(answer).toMatchObject({
      state: 'pass',
      reason: 'All 2 pass criteria met, 0 fail criteria triggered',
      response: { output: computed, computed, disagreements: [] },
      warnings: [],
    });
  });

  it('lists where the model disagrees, and the computed answer stands', async () => {
    const [first, second] = computed.passCriteriaEvaluation.details;
    const wrong = {
      ...computed,
      verdict: 'FAIL',
      passCriteriaEvaluation: {
        total: 2,
        passed: 1,
        failed: 1,
        details: [first, { ...second, result: false, explanation: 'I see none' }],
      },
      failCriteriaEvaluation: {
        total: 1,
        triggered: 1,
        avoided: 0,
        details: [{ criterion: 'result.committed === true', triggered: true, explanation: 'it was' }],
      },
      summary: { ...computed.summary, verdict: 'FAIL' },
    };
    const { answer } = await ask(wrong);
    expect(answer.state).toBe('pass');
    expect(answer.reason).toContain('the judge disagrees on 2 criteria');
    expect(answer.response).toMatchObject({
      disagreements: [
        {
          list: 'pass',
          criterion: 'result.affectedRows > 0',
          computed: true,
          answered: false,
          explanation: 'I see none',
        },
        {
          list: 'fail',
          criterion: 'result.committed === true',
          computed: false,
          answered: true,
          explanation: 'it was',
        },
      ],
    });
    expect(answer.warnings).toHaveLength(2);
  });

  it('shows the input, the result and the expected behaviour as data, and the criteria as written', async () => {
    const { request } = await ask(computed);
    const user = request?.messages[0]?.content ?? '';
    expect(user).toMatch(/Test Input:\n<data-\w+>\n\{"input":\{"dryRun":true\}\}\n/);
    expect(user).toMatch(/Actual Result:\n<data-\w+>\n\{"result":\{"dryRun":true,"affectedRows":13\}\}\n/);
    expect(user).toContain('{"reference":"expectedBehavior","text":"Nothing is written"}');
    const system = request?.system ?? '';
    expect(system).toContain('1. "result.dryRun === true"\n2. "result.affectedRows \\u003e 0"');
    expect(system).toContain('Evaluate each criterion and provide a PASS/FAIL verdict with explanation.');
  });

  it('judges an error as the computation does', async () => {
    const failing = judgeInputSchema.parse({
      testScenario: { name: 'Missing column' },
      actualResult: 'Error: Column "X" not found in headers',
      passCriteria: ['error.message.includes("not found")'],
    });
    const { answer, request } = await ask(judgeProtocol(failing).output, failing);
    expect(answer.state).toBe('pass');
    expect(request?.messages[0]?.content).toContain('{"error":{"message":"Column \\"X\\" not found in headers"');
  });
});
