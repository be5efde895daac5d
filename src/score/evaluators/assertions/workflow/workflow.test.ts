import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolOrder } from '../../../../domain/tools/tool-order.ts';
import type { TraceEvent } from '../../../../domain/trace.ts';
import { ask, inWords } from '../../../../testing/fakes/score/conversation.ts';
import { textResult, workflowContext, workflowTrace } from '../../../../testing/fakes/score/workflow.ts';
import type { Evaluator } from '../../evaluator.ts';
import { workflowCallHealth } from './workflow-call-health.ts';
import { workflowSuccess } from './workflow-success.ts';
import { workflowToolOrder } from './workflow-tool-order.ts';

/** The verdict, and the figure that it rests on. */
async function evaluate(evaluator: Evaluator, workflow: object, trace: readonly TraceEvent[]) {
  const answer = await ask(evaluator, {}, workflowContext(workflow, trace));
  if (answer.state !== 'pass' && answer.state !== 'fail') throw new Error(`${answer.state}`);
  const [metric, ...others] = answer.findings?.workflow ?? [];
  expect(others).toEqual([]);
  expect(answer.value).toBe(metric?.score);
  return { state: answer.state, reason: answer.reason, metric };
}

const oneStep = (expectedState?: string) => ({ steps: [{ user: 'do', ...(expectedState && { expectedState }) }] });

describe('End-to-End Success', () => {
  it.each([
    ['in the last message, whatever the case', { says: 'Booked TABLE 7.' }, 'table 7', 'pass'],
    [
      'in the text of the last result',
      { calls: [{ tool: 'a', result: textResult('Order 17 sent') }] },
      'order 17',
      'pass',
    ],
    [
      'in the data of the last result, as JSON',
      { calls: [{ tool: 'a', result: { ...textResult('ok'), structuredContent: { total: 8 } } }], says: 'Done.' },
      '"total":8',
      'pass',
    ],
    [
      'in the words of a result that is JSON',
      { calls: [{ tool: 'a', result: textResult('{"a": 1}') }] },
      '"a": 1',
      'pass',
    ],
    [
      'in what a failed tool said',
      { calls: [{ tool: 'a', error: 'no seats left' }], says: 'Sorry.' },
      'No Seats',
      'pass',
    ],
    [
      'not in the envelope of a result',
      { calls: [{ tool: 'a', result: textResult('x') }], says: 'y' },
      'content',
      'fail',
    ],
    [
      'not in a result before the last',
      { calls: [{ tool: 'a', result: textResult('x1') }, 'b'], says: 'y' },
      'x1',
      'fail',
    ],
    ["not in the user's own words", { says: 'y' }, 'step 1', 'fail'],
    ['nowhere when nothing was said or done', {}, 'x', 'fail'],
  ])('the state is %s', async (_name, step, expectedState, state) => {
    const { metric, ...verdict } = await evaluate(workflowSuccess, oneStep(expectedState), workflowTrace(step));
    expect(verdict).toMatchObject({ state });
    expect(metric).toMatchObject({
      metric: 'End-to-End Success',
      passed: state === 'pass',
      score: state === 'pass' ? 1 : 0,
      metadata: { expectedState, checkedToolResult: 'calls' in step },
    });
  });

  it('passes where no state is expected', async () => {
    const { state, metric } = await evaluate(workflowSuccess, oneStep(), workflowTrace({ says: 'Hi.' }));
    expect([state, metric?.score]).toEqual(['pass', 1]);
    expect(metric?.metadata).toMatchObject({ lastMessageContent: 'Hi.', checkedToolResult: false });
  });

  const steps = [
    { user: 'one', expectedState: 'first' },
    { user: 'two', expectedState: 'second' },
  ];

  it('looks at each step when it is over, and a failed step costs its share of the score', async () => {
    const good = workflowTrace({ says: 'first' }, { says: 'second' });
    expect(await evaluate(workflowSuccess, { steps }, good)).toMatchObject({ state: 'pass' });
    const late = await evaluate(
      workflowSuccess,
      { steps },
      workflowTrace({ says: 'nothing' }, { says: 'first and second' }),
    );
    expect(late).toMatchObject({ state: 'fail', metric: { passed: false, score: 0.5 } });
    expect(late.reason).toMatch(
      /^step 1 of 2: the expected state "first" was not reached; the last message is "nothing"/,
    );
    const forgotten = await evaluate(workflowSuccess, { steps }, workflowTrace({ says: 'first' }, { says: 'nothing' }));
    expect(forgotten).toMatchObject({ state: 'fail', metric: { passed: false, score: 0 } });
  });

  it('a step without its own call is checked with the last result before it', async () => {
    const trace = workflowTrace(
      { calls: [{ tool: 'a', result: textResult('second') }], says: 'first' },
      { says: 'ok' },
    );
    expect(await evaluate(workflowSuccess, { steps }, trace)).toMatchObject({ state: 'pass' });
  });

  it('an agent that is given all steps at once must have been through them, and end with the last', async () => {
    const stamp = { at: 0, seenBy: 'agent' } as const;
    const says = (text: string): TraceEvent => ({ type: 'message', ...stamp, role: 'assistant', text });
    const state = async (...texts: string[]) => (await evaluate(workflowSuccess, { steps }, texts.map(says))).state;
    expect(await state('first', 'second')).toBe('pass');
    expect(await state('second', 'first')).toBe('fail');
    expect(await state('second')).toBe('fail');
  });
});

describe('Tool Invocation Order', () => {
  async function ordered(expectTools: readonly string[], order: ToolOrder, calls: readonly string[]) {
    const workflow = { ...oneStep(), expectTools, order };
    return evaluate(workflowToolOrder, workflow, workflowTrace({ calls }));
  }

  it.each([
    ['prefix', 'a b', 'a b c', 'pass', 1],
    ['prefix', 'a b', 'c a b', 'fail', 0],
    ['prefix', 'a b', 'a c b', 'fail', 0.5],
    ['prefix', 'a b', 'a', 'fail', 0.5],
    ['exact', 'a b', 'a b', 'pass', 1],
    ['exact', 'a b', 'a b c d', 'fail', 0.5],
    ['subsequence', 'a b', 'c a c b', 'pass', 1],
    ['subsequence', 'a b', 'b a', 'fail', 0.5],
    ['any', 'a b b', 'b c b a', 'pass', 1],
    ['any', 'a b b', 'a b', 'fail', 2 / 3],
  ] as const)('%s: %s, and called were %s', async (order, expected, called, state, score) => {
    const { metric, ...verdict } = await ordered(expected.split(' '), order, called.split(' '));
    expect(verdict.state).toBe(state);
    expect(metric).toMatchObject({
      metric: 'Tool Invocation Order',
      passed: state === 'pass',
      score,
      metadata: { expectedTools: expected.split(' '), actualTools: called.split(' '), order },
    });
  });

  it('each rule lets through what a stricter one does, and full marks are a pass', async () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 4 }),
        names,
        async (expected, calls) => {
          const rules = ['exact', 'prefix', 'subsequence', 'any'] as const;
          const answers = await Promise.all(rules.map((order) => ordered(expected, order, calls)));
          const passes = answers.map(({ state }) => state === 'pass');
          expect(passes).toEqual(passes.toSorted());
          for (const { state, metric } of answers) expect(metric?.score === 1).toBe(state === 'pass');
          expect((await ordered(expected, 'exact', expected)).state).toBe('pass');
        },
      ),
      { seed: 5 },
    );
  });

  it('expects what the steps expect where the workflow itself says nothing', async () => {
    const steps = [{ user: 'x', expectTools: ['a'] }, { user: 'y' }, { user: 'z', expectTools: ['b', 'c'] }];
    const trace = workflowTrace({ calls: ['a'] }, {}, { calls: ['b', 'c'] });
    expect((await evaluate(workflowToolOrder, { steps }, trace)).state).toBe('pass');
    const of = async (expectTools: string[]) =>
      (await evaluate(workflowToolOrder, { steps, expectTools }, trace)).state;
    expect([await of([]), await of(['c'])]).toEqual(['pass', 'fail']);
  });

  it('passes where nothing is expected', async () => {
    const { state, metric } = await evaluate(workflowToolOrder, oneStep(), workflowTrace({ calls: ['a'] }));
    expect([state, metric?.score, metric?.metadata?.actualTools]).toEqual(['pass', 1, ['a']]);
  });

  it("leaves out an agent's own tools where a recorder saw what reached the server", async () => {
    const observed = (seenBy: TraceEvent['seenBy'], tool: string): TraceEvent[] => [
      { type: 'tool-call', at: 0, seenBy, callId: tool, tool, input: {} },
      { type: 'tool-result', at: 0, seenBy, callId: tool, durationMs: 1, result: {} },
    ];
    const trace = [...observed('agent', 'Read'), ...observed('agent', 'mcp__s__a'), ...observed('recorder', 'a')];
    const workflow = { ...oneStep(), expectTools: ['a'], order: 'exact' };
    const { metric, state } = await evaluate(workflowToolOrder, workflow, trace);
    expect([state, metric?.metadata?.actualTools]).toEqual(['pass', ['a']]);
  });
});

describe('Tool Call Health', () => {
  it('counts what was answered without an error', async () => {
    const isError = { ...textResult('too hot'), isError: true };
    const calls = [
      'a',
      { tool: 'b', error: 'gone' },
      { tool: 'c', result: isError },
      { tool: 'd', isUnanswered: true },
    ];
    const { metric, ...verdict } = await evaluate(workflowCallHealth, oneStep(), workflowTrace({ calls }));
    expect(verdict).toMatchObject({ state: 'fail' });
    expect(verdict.reason).toBe(
      '3 of 4 calls failed: call 2, b({}): gone; call 3, c({}): too hot; call 4, d({}): it was never answered',
    );
    expect(metric).toMatchObject({
      metric: 'Tool Call Health',
      passed: false,
      score: 0.25,
      metadata: {
        totalCalls: 4,
        successCount: 1,
        failures: [{ tool: 'b', error: 'gone' }, { tool: 'c', error: 'too hot' }, { tool: 'd' }],
      },
    });
  });

  it.each([
    [[], 'No tools were called'],
    [['a'], 'All of 1 call succeeded'],
    [
      [
        { tool: 'a', error: 'down', answeredBy: 'fault' as const },
        { tool: 'b', error: 'down', answeredBy: 'fault' as const },
      ],
      'Faults broke all 2 calls, so nothing is known of the tools',
    ],
  ])('passes with %j', async (calls, details) => {
    const { state, metric } = await evaluate(workflowCallHealth, oneStep(), workflowTrace({ calls }));
    expect([state, metric?.score, metric?.details]).toEqual(['pass', 1, details]);
  });
});

it('Tool Call Health allows the failures that the scenario allows', async () => {
  const trace = workflowTrace({ calls: ['a', { tool: 'b', error: 'gone' }] });
  const allowing = async (allow: number) => {
    const context = workflowContext(oneStep(), trace);
    const evaluators = [{ type: 'no-failed-calls', config: { allow } }];
    const trial = { ...context.trial, case: { ...context.trial.case, evaluators } };
    return ask(workflowCallHealth, {}, { ...context, trial } as typeof context);
  };
  expect(await allowing(1)).toMatchObject({
    state: 'pass',
    reason: expect.stringContaining('1 of 2 calls failed (1 allowed)'),
  });
  expect(await allowing(0)).toMatchObject({ state: 'fail' });
});

it('a scenario without a workflow cannot be judged as one', async () => {
  for (const evaluator of [workflowSuccess, workflowToolOrder, workflowCallHealth]) {
    const asking = ask(evaluator, {}, workflowContext({ steps: 'none' }, workflowTrace()));
    expect(inWords(await asking)).toContain('the input of this case is not a workflow');
  }
});
