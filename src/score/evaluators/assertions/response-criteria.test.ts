import { describe, expect, it } from 'vitest';
import {
  ask,
  contextOf,
  conversationTrace,
  describeVerdict,
  whenOf,
} from '../../../testing/fakes/score/conversation.ts';
import { responseCriteria } from './response-criteria.ts';

const turn = {
  text: '{"id":"BK-1","seats":2}',
  tools: ['find', 'book'],
  latencyMs: 120,
  tokenUsage: { input: 1, output: 2, total: 3 },
};

describe('response-criteria', () => {
  it.each([
    "result.text.includes('BK-')",
    'result.json.seats === 2',
    "result.toolCalls.length === 2 && result.toolCalls[1].name === 'book'",
    "result.toolCalls[0].arguments.day === 'friday'",
    "result.messages[0].role === 'assistant'",
    'result.turn === 1 && result.latencyMs < 200 && result.tokenUsage.total === 3',
    "input === 'Book a table' && expected === undefined",
  ])('sees the answer: %s', async (criterion) => {
    expect(await describeVerdict(responseCriteria, { passCriteria: [criterion] }, turn)).toBe(
      'pass: All 1 pass criteria met, 0 fail criteria triggered',
    );
  });

  it('explains what is wrong with the values that made it so', async () => {
    const config = { passCriteria: ['result.json.seats >= 4'], failCriteria: ["result.text.includes('BK')"] };
    expect(await describeVerdict(responseCriteria, config, turn)).toBe(
      "fail: result.json.seats is 2, which is not >= 4; result.text contains 'BK' (bad)",
    );
  });

  it('keeps every criterion with its explanation', async () => {
    const context = contextOf(conversationTrace(turn), 'BK-1');
    const answer = await ask(responseCriteria, { passCriteria: ['result.json.id === expected'] }, context);
    expect(answer).toMatchObject({
      state: 'pass',
      value: 1,
      findings: { criteria: { testName: 'Booking', passCriteriaEvaluation: { total: 1, passed: 1 } } },
    });
  });

  it('is not met where the answer is not JSON', async () => {
    const words = await describeVerdict(
      responseCriteria,
      { passCriteria: ['result.json.seats === 2'] },
      { text: 'no' },
    );
    expect(words).toBe('fail: result.json is undefined, so result.json.seats cannot be read');
  });

  it('passes no criteria about the words of an answer that has none, and others as they are', async () => {
    const silent = { text: '', tools: ['book'] };
    for (const config of [
      { passCriteria: ['result.text.length < 15'] },
      { failCriteria: ["result['te' + 'xt'].length > 0"] },
    ])
      expect(await describeVerdict(responseCriteria, config, silent)).toBe('fail: The answer is empty');
    const aboutCalls = { passCriteria: ['result.toolCalls.length === 1'] };
    expect(await describeVerdict(responseCriteria, aboutCalls, silent)).toContain('pass: ');
  });

  it('fails without a message', async () => {
    const words = await describeVerdict(responseCriteria, { failCriteria: ['result.turn > 3'] }, {});
    expect(words).toBe('fail: There is no assistant message to look at');
  });

  it('gives no verdict for a criterion that gives no truth', async () => {
    const words = await describeVerdict(responseCriteria, { passCriteria: ['result.text'] }, { text: 'a' });
    expect(words).toContain("error CRITERION_UNUSABLE: result.text: it gives 'a', not true or false");
  });

  it('needs a criterion, one that can be used', () => {
    expect(responseCriteria.configSchema.safeParse({}).success).toBe(false);
    const [issue] = responseCriteria.configSchema.safeParse({ passCriteria: ['reslt.text'] }).error?.issues ?? [];
    expect(issue).toMatchObject({ path: ['passCriteria', 0], params: { column: 1 } });
  });

  it('waits for an answer that holds', () => {
    expect(whenOf(responseCriteria, { passCriteria: ['true'] })).toBe('eventually');
  });
});
