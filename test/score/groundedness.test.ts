import { describe, expect, it } from 'vitest';
import type { ScriptSource } from '../../src/drive/models/scripted/index.ts';
import { runJudged } from '../../src/testing/support/judged-project.ts';

const claimOf = (claim: string, quote: string, verdict: string, evidence: readonly object[] = []) => ({
  ...{ claim, event: 'e6', quote, reasoning: 'Compared with the results.', evidence, verdict },
});
const table = claimOf('The table is 7', 'Table 7 is booked', 'supported', [{ event: 'e3', quote: '"table":7' }]);
const reference = claimOf('The reference is BK-1042', 'Your reference is BK-1042', 'supported', [
  { event: 'e5', quote: 'BK-1042' },
]);
const price = claimOf('It costs 10 euros', 'It costs 10 euros', 'not-found');
const agent = `const call = (id, name) => ({ role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }] });
export default () => ({ messages: [
  call('1', 'find_table'), { role: 'tool', tool_call_id: '1', content: '{"table":7}' },
  call('2', 'book_table'), { role: 'tool', tool_call_id: '2', content: '{"ref":"BK-1042"}' },
  { role: 'assistant', content: 'Table 7 is booked. Your reference is BK-1042. It costs 10 euros.' }] });`;

interface Options {
  readonly config?: object;
  readonly module?: string;
  readonly judge?: object;
  readonly more?: object;
}

/** A booking whose claims a scripted model judges; several replies are those of several judges. */
async function judge(replies: readonly object[], { config = {}, module = agent, judge = {}, more = {} }: Options = {}) {
  const scenario = {
    name: 'Booking',
    connector: { type: 'module', reports: ['tool-calls'], config: { module: './agent.mjs' } },
    userMessages: ['A table, please'],
    judge: { model: 'openai/gpt-4o-mini', ...judge },
    evaluators: [{ type: 'groundedness', config, ...more }],
  };
  const rules: ScriptSource['rules'] = replies.map((claims, index) => ({
    ...(index < replies.length - 1 && { times: 1 }),
    reply: { json: { claims, confidence: 0.9 } as never },
  }));
  const { trial, calls, prompts, stderr, stdout } = await runJudged({
    scenario: JSON.stringify(scenario),
    rules,
    files: { 'agent.mjs': module },
    flags: ['--no-cache'],
  });
  if (!trial) throw new Error(stdout + stderr);
  const results = (trial as unknown as { evaluatorResults: readonly object[] }).evaluatorResults;
  return { trial, calls, prompts, result: results[0] };
}

describe('groundedness', () => {
  it('counts a claim once, however often it is made', async () => {
    const again = ['The table  is 7', 'the table is 7', 'THE TABLE IS 7'].map((claim) => ({ ...table, claim }));
    const { result } = await judge([[table, ...again, table, price]], { config: { passThreshold: 0.8 } });
    expect(result).toMatchObject({ state: 'fail', value: 1 / 2, reason: expect.stringContaining('1 of 2 claims') });
    const torn = await judge([[table, { ...table, verdict: 'contradicted' }]]);
    expect(torn.trial).toMatchObject({ outcome: 'error', fault: { code: 'JUDGE_UNDECIDED' } });
  });

  it('follows the instructions and references of the judge section', async () => {
    const judgeSection = { instructions: 'Prices are never claims', references: [{ name: 'menu', text: 'Soup: 4' }] };
    const { prompts } = await judge([[table]], { judge: judgeSection });
    expect(prompts).toContain('Prices are never claims');
    expect(prompts).toContain('Soup: 4');
  });

  it('is the share of claims that a quote of a tool result supports', async () => {
    const whole = await judge([[table, reference]]);
    expect(whole.result).toMatchObject({ state: 'pass', value: 1, reason: '2 of 2 claims supported' });
    const { trial, result } = await judge([[table, reference, price]], { config: { passThreshold: 0.9 } });
    expect(result).toMatchObject({
      state: 'fail',
      value: 2 / 3,
      reason: '2 of 3 claims supported; It costs 10 euros (not found: Compared with the results.)',
    });
    // Events are named by their place in the whole trace.
    expect(trial.judge).toMatchObject({
      mode: 'groundedness',
      threshold: 0.9,
      response: { claims: 3, supported: 2, contradicted: 0, notFound: 1, unproven: 0 },
      criteria: [
        { id: 'claim-1', kind: 'claim', answer: 'met', evidence: [{ event: 'e4', isVerified: true }] },
        { answer: 'met' },
        { answer: 'not-met', reason: 'not found: Compared with the results.' },
      ],
    });
    expect((await judge([[table, reference, price]], { config: { passThreshold: 0.6 } })).result).toMatchObject({
      state: 'pass',
    });
    const wrong = claimOf('The table is 7', 'Table 7 is booked', 'contradicted', [{ event: 'e5', quote: 'BK-1042' }]);
    const { trial: contradicted } = await judge([[wrong]], { more: { turn: 1 } });
    expect(contradicted).toMatchObject({
      outcome: 'fail',
      reason: expect.stringMatching(/^Turn 1: 0 of 1 claim supported; The table is 7 \(contradicted: /),
      judge: { response: { contradicted: 1 }, criteria: [{ evidence: [{ event: 'e6', isVerified: true }] }] },
    });
  });

  it.each([
    ['a quote that no tool returned', { ...table, evidence: [{ event: 'e3', quote: 'table 99' }] }],
    ["the agent's own words", { ...table, evidence: [{ event: 'e6', quote: 'Table 7 is booked' }] }],
    ['no quote', { ...table, evidence: [] }],
    ['a claim that the agent did not make', { ...table, quote: 'Table 7 is free' }],
    ['a claim copied from a result', { ...table, event: 'e3', quote: '"table":7' }],
  ])('takes %s for no support', async (_, claim) => {
    // The judge gets one chance to correct itself.
    const { result, trial, calls } = await judge([[claim, reference]]);
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'JUDGE_UNDECIDED', blame: 'judge' } });
    expect(result).toMatchObject({ state: 'error', reason: expect.stringContaining('could not be judged: 1 of 2') });
    expect(calls).toBe(claim.evidence.length === 0 ? 1 : 2);
    // A fail stands where the doubtful claim could not save it.
    const unsaved = await judge([[claim, price, { ...price, claim: 'It is cheap' }]], {
      config: { passThreshold: 0.5 },
    });
    expect(unsaved.result).toMatchObject({ state: 'fail', value: 0 });
  });

  it('cannot be judged without claims or without results of tools', async () => {
    expect((await judge([[]])).trial).toMatchObject({
      outcome: 'error',
      fault: { code: 'JUDGE_UNDECIDED', message: 'could not be judged: the judge found no claim in the answers' },
    });
    const silent = await judge([[table]], { module: "export default () => 'Table 7 is booked.';" });
    expect(silent).toMatchObject({ calls: 0, trial: { outcome: 'error', fault: { code: 'NOT_OBSERVED' } } });
  });

  it('averages the scores of several judges, who may find different claims', async () => {
    const { result, trial } = await judge(
      [
        [table, reference],
        [table, price],
      ],
      {
        config: { passThreshold: 0.7 },
        judge: { samples: 2 },
      },
    );
    expect(result).toMatchObject({ state: 'pass', value: 0.75 });
    expect(trial.judge.panel).toHaveLength(2);
  });
});
