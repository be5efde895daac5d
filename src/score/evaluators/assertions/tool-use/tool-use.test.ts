import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask, contextOf, conversationTrace, inWords, whenOf } from '../../../../testing/fakes/score/conversation.ts';
import { type FakeCall, traceOfCalls } from '../../../../testing/fakes/score/tool-calls.ts';
import type { Evaluator } from '../../evaluator.ts';
import { toolCallBudget } from '../budgets.ts';
import { noFailedCalls } from './no-failed-calls.ts';
import { noRepeatedCalls } from './no-repeated-calls.ts';
import { toolArguments } from './tool-arguments.ts';
import { toolCalled } from './tool-called.ts';
import { toolNotCalled } from './tool-not-called.ts';
import { toolOrder } from './tool-order.ts';
import { toolResult } from './tool-result.ts';

const about = async (evaluator: Evaluator, config: unknown, ...calls: readonly FakeCall[]) =>
  inWords(await ask(evaluator, config, contextOf(traceOfCalls(...calls), 7)));
const stateOf = async (evaluator: Evaluator, config: unknown, ...calls: readonly FakeCall[]) =>
  (await ask(evaluator, config, contextOf(traceOfCalls(...calls), 7))).state;

const rome = { tool: 'find', server: 'maps', input: { q: 'Rome', limit: 3, near: { lat: 41.9 } }, result: 'found' };
const paris = { tool: 'find', server: 'maps', input: { q: 'Paris' }, result: 'found' };

describe('tool-called', () => {
  it('says which call it was', async () => {
    expect(await about(toolCalled, { tool: 'find' }, paris)).toBe(
      'pass: find was called 1 time: call 1, maps/find({"q":"Paris"})',
    );
  });

  it('says what was called instead', async () => {
    expect(await about(toolCalled, { tool: 'book' }, paris, { tool: 'Bash' })).toBe(
      'fail: book was not called; called were maps/find, Bash',
    );
    expect(await about(toolCalled, { tool: 'book' })).toBe('fail: book was not called; no tool was called');
  });

  it('says why no call was the one', async () => {
    expect(await about(toolCalled, { tool: 'find', args: { q: 'Oslo' } }, rome, paris)).toBe(
      'fail: find was called 0 times as wanted, wanted at least 1; ' +
        'call 1, maps/find({"q":"Rome","limit":3,"near":{"lat":41.9}}): input.q is "Rome", wanted "Oslo"; ' +
        'call 2, maps/find({"q":"Paris"}): input.q is "Paris", wanted "Oslo"',
    );
  });

  it.each([
    [{ q: 'Rome' }, 'pass'],
    [{ q: 'rome' }, 'fail'],
    [{ limit: 3 }, 'pass'],
    [{ limit: '3' }, 'fail'],
    [{ near: { lat: 41.9 } }, 'pass'],
    [{ near: { lat: { gte: 41, lte: 42 } } }, 'pass'],
    [{ near: { lon: 12 } }, 'fail'],
    [{ q: { matches: '^R' } }, 'pass'],
    [{ q: { matches: '^o' } }, 'fail'],
    [{ limit: { matches: '^3$' } }, 'pass'],
    [{ q: { contains: 'om' } }, 'pass'],
    [{ limit: { gt: 3 } }, 'fail'],
    [{ limit: { gte: 3, lt: 4 } }, 'pass'],
    [{ q: { gte: 0 } }, 'fail'],
    [{ limit: { schema: { type: 'integer', maximum: 5 } } }, 'pass'],
    [{ limit: { schema: { type: 'integer', maximum: 2 } } }, 'fail'],
    [{ near: { equals: { lat: 41.9 } } }, 'pass'],
    [{ near: { equals: {} } }, 'fail'],
    [{ page: { present: false } }, 'pass'],
    [{ q: { present: false } }, 'fail'],
    [{ q: { present: true } }, 'pass'],
    [{ page: { present: true } }, 'fail'],
    [{ page: { contains: '' } }, 'fail'],
  ])('with arguments %j: %s', async (args, state) => {
    expect(await stateOf(toolCalled, { tool: 'maps/*', args }, rome)).toBe(state);
  });

  it('finds an item of a list', async () => {
    const call = { tool: 'tag', input: { tags: ['a', { b: 1 }] } };
    expect(await stateOf(toolCalled, { tool: 'tag', args: { tags: { contains: { b: 1 } } } }, call)).toBe('pass');
    expect(await stateOf(toolCalled, { tool: 'tag', args: { tags: { contains: { b: 2 } } } }, call)).toBe('fail');
  });

  it('allows no other arguments where configured to', async () => {
    const config = { tool: 'find', args: { q: 'Rome' }, noOtherArgs: true };
    expect(await about(toolCalled, config, rome)).toContain('input.limit is not wanted');
    expect(await stateOf(toolCalled, { tool: 'find', args: { q: 'Paris' }, noOtherArgs: true }, paris)).toBe('pass');
  });

  it('takes criteria over the call', async () => {
    const criteria = ['input.limit < expected', 'result === "found"'];
    expect(await stateOf(toolCalled, { tool: 'find', criteria }, rome)).toBe('pass');
    expect(await about(toolCalled, { tool: 'find', criteria: ['input.limit > expected'] }, rome)).toMatch(
      /^fail: .*call 1, .*: .*3/,
    );
  });

  it('cannot judge by a criterion that is neither true nor false', async () => {
    const words = await about(toolCalled, { tool: 'find', criteria: ['input.q'] }, rome);
    expect(words).toContain('error CRITERION_UNUSABLE');
  });

  it.each([
    [1, 'fail'],
    [2, 'pass'],
    [3, 'fail'],
    [{ min: 3 }, 'fail'],
    [{ max: 1 }, 'fail'],
    [{ min: 1, max: 2 }, 'pass'],
  ])('%j times of two: %s', async (times, state) => {
    expect(await stateOf(toolCalled, { tool: 'find', times }, rome, paris, { tool: 'other' })).toBe(state);
  });

  it('may be called no times where that is allowed', async () => {
    expect(await stateOf(toolCalled, { tool: 'find', times: { min: 0, max: 1 } })).toBe('pass');
  });

  it('shows no more than a few calls, shortened, and nothing that steers a terminal', async () => {
    const calls = Array.from({ length: 9 }, () => ({ tool: 'x', input: { text: `\u001b[31m${'y'.repeat(5_000)}` } }));
    const words = await about(toolCalled, { tool: 'x' }, ...calls);
    expect(words).toContain('and 6 more');
    expect(words).not.toContain('\u001b');
    expect(words.length).toBeLessThan(1_000);
  });

  it.each([
    {},
    { tool: '' },
    { tool: 'a', times: 0 },
    { tool: 'a', times: { min: 2, max: 1 } },
    { tool: 'a', args: { q: { matches: '(' } } },
    { tool: 'a', args: { deep: { q: { gte: 'x' } } } },
    { tool: 'a', args: { q: { schema: { type: 'nonsense' } } } },
    { tool: 'a', criteria: ['input.'] },
    { tool: 'a', arg: {} },
  ])('refuses %j', (config) => {
    expect(toolCalled.configSchema.safeParse(config).success).toBe(false);
  });

  it('says where in the arguments a matcher is wrong', () => {
    const { error } = toolCalled.configSchema.safeParse({ tool: 'a', args: { deep: { q: { matches: '(' } } } });
    expect(error?.issues[0]).toMatchObject({ path: ['args', 'deep', 'q', 'matches'] });
  });
});

describe('tool-not-called', () => {
  it('names the call that should not have been made', async () => {
    expect(await about(toolNotCalled, { tool: 'find' }, { tool: 'Bash' }, paris)).toBe(
      'fail: find was called: call 2, maps/find({"q":"Paris"})',
    );
    expect(await about(toolNotCalled, { tool: 'delete_*' }, paris)).toBe('pass: delete_* was not called');
  });

  it('may mean some arguments only', async () => {
    const config = { tool: 'find', args: { q: { contains: 'Ro' } } };
    expect(await stateOf(toolNotCalled, config, paris)).toBe('pass');
    expect(await stateOf(toolNotCalled, config, paris, rome)).toBe('fail');
  });
});

describe('tool-order', () => {
  const calls = [{ tool: 'login' }, { tool: 'noise' }, { tool: 'find' }, { tool: 'book' }];

  it.each([
    [{ tools: ['login', 'find', 'book'] }, 'pass'],
    [{ tools: ['login', 'book', 'find'] }, 'fail'],
    [{ tools: ['login', 'find', 'book'], order: 'prefix' }, 'fail'],
    [{ tools: ['login', 'noise'], order: 'prefix' }, 'pass'],
    [{ tools: ['login', 'find', 'book'], order: 'exact' }, 'fail'],
    [{ tools: ['login', 'find', 'book'], order: 'exact', ignore: ['noise'] }, 'pass'],
    [{ tools: ['book', 'login'], order: 'any' }, 'pass'],
    [{ tools: ['book', 'pay'], order: 'any' }, 'fail'],
  ])('%j: %s', async (config, state) => {
    expect(await stateOf(toolOrder, config, ...calls)).toBe(state);
  });

  it('says how far it got', async () => {
    const answer = await ask(toolOrder, { tools: ['login', 'pay'] }, contextOf(traceOfCalls(...calls)));
    expect(inWords(answer)).toBe(
      'fail: The calls are not as wanted: login, pay (subsequence); 1 of 2 in place; called were login, noise, find, book',
    );
    expect(answer).toMatchObject({ value: 0.5 });
    expect(answer).not.toHaveProperty('isSettled');
  });

  it('counts what is too much against an exact order', async () => {
    const answer = await ask(toolOrder, { tools: ['login'], order: 'exact' }, contextOf(traceOfCalls(...calls)));
    expect(answer).toMatchObject({ state: 'fail', value: 0.25, isSettled: true });
  });
});

describe('tool-arguments', () => {
  const schema = { type: 'object', required: ['limit'] };

  it('looks at every call of the tool', async () => {
    expect(await about(toolArguments, { tool: 'find', schema }, rome, paris, { tool: 'other' })).toMatch(
      /^fail: The arguments of 1 of 2 calls are not as wanted: call 2, maps\/find\(\{"q":"Paris"\}\): input is not valid/,
    );
    expect(await about(toolArguments, { criteria: ['input.q.length > 3'] }, rome, paris)).toBe(
      'pass: The arguments of 2 calls are as wanted',
    );
    expect(await stateOf(toolArguments, { tool: 'find', args: { limit: { lte: 2 } } }, rome)).toBe('fail');
  });

  it('has nothing against no call', async () => {
    expect(await about(toolArguments, { tool: 'find', schema })).toBe('pass: The tool was not called');
  });

  it('wants to know what to look for', () => {
    expect(toolArguments.configSchema.safeParse({ tool: 'find' }).success).toBe(false);
  });
});

describe('tool-result', () => {
  const envelope = { content: [{ type: 'text', text: '{"total": 12}' }] };
  const structured = { content: [{ type: 'text', text: 'twelve' }], structuredContent: { total: 12 } };
  const sums = [
    { tool: 'sum', result: envelope },
    { tool: 'sum', result: structured },
    { tool: 'sum', result: '{"total": 12}' },
    { tool: 'sum', result: { total: 12 } },
  ];

  it.each(sums)('looks at what a result means: %j', async (call) => {
    expect(await stateOf(toolResult, { tool: 'sum', equals: { total: 12 } }, call)).toBe('pass');
    expect(await stateOf(toolResult, { tool: 'sum', criteria: ['result.total > expected'] }, call)).toBe('pass');
    expect(await stateOf(toolResult, { tool: 'sum', contains: '12', schema: { type: 'object' } }, call)).toBe('pass');
    expect(await about(toolResult, { tool: 'sum', equals: { total: 13 } }, call)).toBe(
      'fail: No result of sum is as wanted: call 1, sum({}): result is {"total":12}, wanted {"total":13}',
    );
  });

  it.each([
    ['some', 'pass'],
    ['every', 'fail'],
    ['last', 'fail'],
  ])('of %s call: %s', async (of, state) => {
    const calls = [
      { tool: 'a', result: 'yes' },
      { tool: 'a', result: 'no' },
      { tool: 'b', result: 'yes' },
    ];
    expect(await stateOf(toolResult, { tool: 'a', of, matches: '^yes$' }, ...calls)).toBe(state);
  });

  it('says when a call failed, and lets criteria look at why', async () => {
    const failed = { tool: 'sum', error: 'no numbers' };
    expect(await about(toolResult, { tool: 'sum', contains: 'numbers' }, failed)).toContain('it failed: no numbers');
    expect(await stateOf(toolResult, { tool: 'sum', criteria: ["error.message === 'no numbers'"] }, failed)).toBe(
      'pass',
    );
  });

  it('needs a result, unless every one is meant', async () => {
    expect(await about(toolResult, { tool: 'sum', contains: 'x' }, { tool: 'sum', seenBy: 'recorder' })).toBe(
      'fail: sum returned no result; called were sum',
    );
    expect(await about(toolResult, { tool: 'sum', contains: 'x' }, { tool: 'sum', seenBy: 'agent' })).toBe(
      'error NOT_OBSERVED: Not all tool results were observed: the result of call 1, `sum`, was not reported.',
    );
    expect(await stateOf(toolResult, { tool: 'sum', of: 'every', contains: 'x' })).toBe('pass');
    expect(toolResult.configSchema.safeParse({ tool: 'sum' }).success).toBe(false);
  });
});

describe('no-failed-calls', () => {
  const good = { tool: 'a', result: 1 };
  const failed = { tool: 'div', input: { by: 0 }, error: 'by zero' };

  it('names the call that failed and why', async () => {
    expect(await about(noFailedCalls, {}, good, failed)).toBe(
      'fail: 1 of 2 calls failed: call 2, div({"by":0}): by zero',
    );
    expect(await about(noFailedCalls, {}, good)).toBe('pass: 1 call, none failed');
  });

  it('takes an MCP result that says so for a failure', async () => {
    expect(await stateOf(noFailedCalls, {}, { tool: 'a', result: { isError: true, content: [] } })).toBe('fail');
  });

  it('lets some pass, and looks at some tools only', async () => {
    expect(await stateOf(noFailedCalls, { allow: 1 }, good, failed)).toBe('pass');
    expect(await stateOf(noFailedCalls, { allow: 1 }, failed, failed)).toBe('fail');
    expect(await stateOf(noFailedCalls, { tools: ['a'] }, good, failed)).toBe('pass');
  });

  it('wants an answer from those who would have seen it', async () => {
    expect(await stateOf(noFailedCalls, {}, { tool: 'a', seenBy: 'agent' })).toBe('error');
    expect(await about(noFailedCalls, {}, { tool: 'a', seenBy: 'recorder' })).toContain('it was never answered');
  });

  it('looks at exit codes only where configured to', async () => {
    const grep = { tool: 'Bash', input: { command: 'grep x' }, result: '', exitCode: 1 };
    expect(await stateOf(noFailedCalls, {}, grep)).toBe('pass');
    expect(await about(noFailedCalls, { exitCodes: true }, grep)).toContain('exit code 1');
  });
});

describe('no-repeated-calls', () => {
  const first = { tool: 'find', input: { a: 1, b: [{ c: 2, d: 3 }] } };
  const same = { tool: 'find', input: { b: [{ d: 3, c: 2 }], a: 1 } };
  const other = { tool: 'find', input: { a: 2 } };

  it('knows the same arguments in another order', async () => {
    expect(await about(noRepeatedCalls, {}, first, other, same)).toMatch(
      /^fail: 1 repeated call: call 3, find\(.*\): the same as call 1$/,
    );
    expect(await stateOf(noRepeatedCalls, {}, first, other)).toBe('pass');
  });

  it('does not take another tool or server for the same', async () => {
    expect(await stateOf(noRepeatedCalls, {}, first, { ...first, tool: 'x' }, { ...first, server: 's' })).toBe('pass');
  });

  it('may look at neighbours only', async () => {
    expect(await stateOf(noRepeatedCalls, { consecutive: true }, first, other, same)).toBe('pass');
    expect(await stateOf(noRepeatedCalls, { consecutive: true }, other, first, same)).toBe('fail');
  });

  it('lets some pass, and looks at some tools only', async () => {
    expect(await stateOf(noRepeatedCalls, { allow: 1 }, first, same)).toBe('pass');
    expect(await stateOf(noRepeatedCalls, { allow: 1 }, first, same, first)).toBe('fail');
    expect(await stateOf(noRepeatedCalls, { tools: ['x*'] }, first, same)).toBe('pass');
  });

  it('counts each call once', async () => {
    const call = fc.record({ tool: fc.constantFrom('a', 'b'), input: fc.constantFrom({ x: 1 }, { x: 2 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 8 }), async (calls) => {
        const repeats = calls.length - new Set(calls.map(({ tool, input }) => `${tool}${input.x}`)).size;
        expect(await stateOf(noRepeatedCalls, { allow: repeats }, ...calls)).toBe('pass');
        if (repeats > 0) expect(await stateOf(noRepeatedCalls, { allow: repeats - 1 }, ...calls)).toBe('fail');
      }),
      { seed: 42, numRuns: 100 },
    );
  });
});

describe('tool-call-budget per tool', () => {
  const context = contextOf(conversationTrace({ text: 'a', tools: ['find', 'find'] }, { text: 'b', tools: ['book'] }));

  it('counts each by its name', async () => {
    expect(inWords(await ask(toolCallBudget, { perTool: { find: 2, 'b*': 1 } }, context))).toBe(
      'pass: 2 / 2 calls of find, 1 / 1 calls of b*',
    );
    expect(inWords(await ask(toolCallBudget, { maxCalls: 9, perTool: { find: 1 } }, context))).toBe(
      'fail: 2 / 1 calls of find',
    );
  });

  it('needs some limit', () => {
    expect(toolCallBudget.configSchema.safeParse({}).success).toBe(false);
  });
});

describe('evaluators of tool use in a conversation', () => {
  const turns = [
    { text: 'a', tools: ['find'] },
    { text: 'b', tools: ['book'] },
  ];
  const ofAnswer = (evaluator: Evaluator, config: unknown) =>
    ask(evaluator, config, contextOf(conversationTrace(...turns)));

  it('look at all answers so far, or at the one that has just come', async () => {
    expect((await ofAnswer(toolCalled, { tool: 'find' })).state).toBe('pass');
    expect((await ofAnswer(toolCalled, { tool: 'find', within: 'answer' })).state).toBe('fail');
    expect((await ofAnswer(toolCalled, { tool: 'book', within: 'answer' })).state).toBe('pass');
  });

  it('settle what no later answer can mend', async () => {
    expect(await ofAnswer(toolNotCalled, { tool: 'find' })).toMatchObject({ isSettled: true });
    expect(await ofAnswer(toolNotCalled, { tool: 'book', within: 'answer' })).not.toHaveProperty('isSettled');
    expect(await ofAnswer(toolCalled, { tool: '*', times: 1 })).toMatchObject({ isSettled: true });
    expect(await ofAnswer(toolOrder, { tools: ['book'], order: 'prefix' })).toMatchObject({ isSettled: true });
  });

  it.each([
    [toolCalled, { tool: 'a' }, 'eventually'],
    [toolCalled, { tool: 'a', times: { max: 2 } }, 'final'],
    [toolCalled, { tool: 'a', times: 2 }, 'final'],
    [toolNotCalled, { tool: 'a' }, 'every-turn'],
    [toolOrder, { tools: ['a'] }, 'eventually'],
    [toolOrder, { tools: ['a'], order: 'exact' }, 'final'],
    [toolArguments, { schema: true }, 'every-turn'],
    [toolResult, { tool: 'a', contains: 'x' }, 'eventually'],
    [toolResult, { tool: 'a', contains: 'x', of: 'every' }, 'every-turn'],
    [toolResult, { tool: 'a', contains: 'x', of: 'last' }, 'final'],
    [noFailedCalls, {}, 'every-turn'],
    [noRepeatedCalls, {}, 'every-turn'],
  ] as const)('must hold at the right time (%#)', (evaluator, config, when) => {
    expect(whenOf(evaluator, config)).toBe(when);
  });
});

describe('a call that was refused before it reached a tool', () => {
  const refused = { ...rome, result: undefined, error: 'There is no tool `find`.', isRefused: true } as const;

  it.each<[string, Evaluator, object, FakeCall[], string]>([
    ['is not a call of the tool', toolCalled, { tool: 'find' }, [refused], 'fail'],
    ['is not a call with these arguments', toolCalled, { tool: 'find', args: { q: 'Rome' } }, [refused, paris], 'fail'],
    ['leaves a later call its own', toolCalled, { tool: 'find' }, [refused, paris], 'pass'],
    ['counts for an upper limit', toolCalled, { tool: 'find', times: 1 }, [refused, paris], 'fail'],
    ['is forbidden all the same', toolNotCalled, { tool: 'find' }, [refused], 'fail'],
    ['has no place in an order', toolOrder, { tools: ['find'] }, [refused], 'fail'],
    ['has no place in any order', toolOrder, { tools: ['find'], order: 'any' }, [refused], 'fail'],
    ['is one of the other calls', toolOrder, { tools: ['find'], order: 'exact' }, [refused, paris], 'fail'],
    ['comes before the first call', toolOrder, { tools: ['find'], order: 'prefix' }, [refused, paris], 'fail'],
    ['may be among others', toolOrder, { tools: ['find'] }, [refused, paris], 'pass'],
    ['is allowed where the tool is', toolOrder, { tools: ['find'], order: 'subset' }, [refused], 'pass'],
    ['is too much where the tool is not', toolOrder, { tools: ['book'], order: 'subset' }, [refused], 'fail'],
    ['has no result', toolResult, { tool: 'find', criteria: ['error != null'] }, [refused], 'fail'],
    ['has no result among all', toolResult, { tool: 'find', of: 'every', contains: 'found' }, [paris, refused], 'fail'],
    ['has failed', noFailedCalls, {}, [refused], 'fail'],
    ['is repeated by another', noRepeatedCalls, {}, [refused, rome], 'fail'],
    ['costs as much', toolCallBudget, { perTool: { find: 0 } }, [refused], 'fail'],
  ])('%s', async (_, evaluator, config, calls, state) => {
    expect(await stateOf(evaluator, config, ...calls)).toBe(state);
  });

  it('is shown as refused', async () => {
    expect(await about(toolCalled, { tool: 'find', args: { q: 'Rome' } }, refused)).toContain(
      '"near":{"lat":41.9}}): it was refused and never reached the tool',
    );
    expect(await about(toolOrder, { tools: ['find'] }, refused)).toContain('called were maps/find (refused)');
  });
});
