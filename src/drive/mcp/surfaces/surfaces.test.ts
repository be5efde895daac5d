import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../../domain/trace.ts';
import { toolCallsIn } from '../../../domain/turn.ts';
import { takeWorkflow } from '../../../testing/support/workflow-run.ts';

const workflow = {
  steps: [{ user: 'Please add 2 and 3, then times 4', expectTools: ['add', 'multiply'], expectedState: '20' }],
};
const program = `
  const sum = await tools.add({ a: 2, b: 3 });
  console.log('the sum is', sum);
  const product = await tools.multiply({ a: 5, b: 4 });
  return product;`;

/** The same work in each surface, as a model does it there. */
const arms = {
  all: [
    { when: { toolResult: 'product' }, reply: 'It is 20.' },
    { when: { toolResult: 'sum is 5' }, toolCalls: [{ name: 'multiply', input: { a: 5, b: 4 } }] },
    { toolCalls: [{ name: 'add', input: { a: 2, b: 3 } }] },
  ],
  search: [
    { when: { toolResult: '"product"' }, reply: 'It is 20.' },
    {
      when: { toolResult: 'sum is 5' },
      toolCalls: [{ name: 'call_tool', input: { name: 'multiply', arguments: { a: 5, b: 4 } } }],
    },
    {
      when: { toolResult: 'inputSchema' },
      toolCalls: [{ name: 'call_tool', input: { name: 'add', arguments: { a: 2, b: 3 } } }],
    },
    { toolCalls: [{ name: 'find_tools', input: { query: 'add and multiply numbers' } }] },
  ],
  code: [
    { when: { toolResult: '20' }, reply: 'It is 20.' },
    { toolCalls: [{ name: 'run_program', input: { code: program } }] },
  ],
};
const variantOf = (surface: string) => ({ model: 'openai/gpt-4o', surface });
const subsets = { arithmetic: ['add', 'multiply'] };

describe('surfaces of a server', () => {
  it.each([
    ['all', arms.all, undefined],
    ['search', arms.search, ['find_tools', 'call_tool']],
    ['code', arms.code, ['run_program']],
    ['arithmetic', arms.all, ['add', 'multiply']],
  ])('%s: the record has the same calls, and every expectation holds', async (surface, rules, offered) => {
    const { record, trace, calls, requests } = await takeWorkflow({
      rules,
      workflow,
      variant: variantOf(surface),
      config: { subsets },
    });
    expect(record).toMatchObject({ outcome: 'pass', fault: null, workflowScore: 1 });
    const made = eventsOf(trace, 'tool-call').map(({ server, tool, input }) => ({ server, tool, input }));
    expect(made).toEqual([
      { server: 'server', tool: 'add', input: { a: 2, b: 3 } },
      { server: 'server', tool: 'multiply', input: { a: 5, b: 4 } },
    ]);
    expect(calls).toEqual(made.map(({ tool, input }) => ({ name: tool, arguments: input })));
    const turn = eventsOf(trace, 'turn')[0];
    expect(turn && toolCallsIn(turn).map((call) => call.function.name)).toEqual(['add', 'multiply']);
    const names = requests[0]?.conversation?.tools?.map((tool) => (typeof tool === 'string' ? tool : tool.name));
    if (offered) expect(names).toEqual(offered);
    else expect(names).toEqual(expect.arrayContaining(['add', 'multiply', 'divide', 'refuse']));
    expect(eventsOf(trace, 'notice').map(({ message }) => message)).toContain(`The tools are offered as "${surface}"`);
  });

  it('keep searches and programs in the trace, apart from the calls of the server', async () => {
    const search = await takeWorkflow({ rules: arms.search, workflow, variant: variantOf('search') });
    expect(eventsOf(search.trace, 'surface-call')).toMatchObject([
      { tool: 'find_tools', input: { query: 'add and multiply numbers' }, output: expect.stringContaining('"add"') },
    ]);
    const code = await takeWorkflow({ rules: arms.code, workflow, variant: variantOf('code') });
    const [ran] = eventsOf(code.trace, 'surface-call');
    expect(ran?.output).toContain('the sum is');
    expect(ran?.error).toBeUndefined();
  });

  it('refuse unknown tools in every surface as a failed call of the model, which is none of the tool', async () => {
    const rules = (toolCalls: object[]) => [{ when: { toolResult: 'There is no tool' }, reply: 'Oh.' }, { toolCalls }];
    const cases = [
      ['all', [{ name: 'ad', input: {} }]],
      ['search', [{ name: 'call_tool', input: { name: 'ad' } }]],
      ['code', [{ name: 'run_program', input: { code: 'return await tools.ad({})' } }]],
      ['arithmetic', [{ name: 'divide', input: { a: 1, b: 1 } }]],
    ] as const;
    for (const [surface, calls] of cases) {
      const tool = surface === 'arithmetic' ? 'divide' : 'ad';
      // The words of the refusal have the name in them.
      const oneStep = { steps: [{ user: 'x', expectTools: [tool], expectedState: `no tool \`${tool}\`` }] };
      const taken = await takeWorkflow({
        rules: rules([...calls]) as never,
        workflow: oneStep,
        variant: variantOf(surface),
        config: { subsets },
      });
      expect(taken.calls).toEqual([]);
      expect(eventsOf(taken.trace, 'tool-call')).toMatchObject([{ tool, isRefused: true }]);
      expect(taken.record.workflow[0]).toMatchObject({ metric: 'End-to-End Success', passed: false });
      expect(taken.record.workflow[1]).toMatchObject({ metric: 'Tool Invocation Order', passed: false });
      expect(taken.record.workflow[2]).toMatchObject({ metric: 'Tool Call Health', passed: false });
    }
  });

  it('report to the model what is wrong with a search or a program', async () => {
    const wrong = [
      ['search', { name: 'find_tools', input: { query: '' } }, '`query` must be a text'],
      ['search', { name: 'find_tools', input: { query: 'zebra' } }, 'No tool matches'],
      ['search', { name: 'call_tool', input: {} }, '`name` must be the name of a tool'],
      ['code', { name: 'run_program', input: {} }, '`code` must be a text'],
      ['code', { name: 'run_program', input: { code: 'return (' } }, 'SyntaxError'],
      ['code', { name: 'run_program', input: { code: 'await tools.divide({ a: 1, b: 0 })' } }, 'cannot divide by zero'],
    ] as const;
    for (const [surface, call, text] of wrong) {
      const rules = [{ when: { toolResult: text }, reply: 'I see.' }, { toolCalls: [call] }];
      const oneStep = { steps: [{ user: 'x', expectedState: 'I see' }] };
      const { record } = await takeWorkflow({ rules, workflow: oneStep, variant: variantOf(surface) });
      expect(record.workflow[0], text).toMatchObject({ metric: 'End-to-End Success', passed: true });
    }
  });

  it('that do not fit the server cannot be judged', async () => {
    const wrong = { rules: [{ reply: 'x' }], workflow, config: { subsets: { few: ['ad'] } } };
    const { record } = await takeWorkflow({ ...wrong, variant: variantOf('few') });
    expect(record).toMatchObject({ outcome: 'error', fault: { code: 'FILE_INVALID' } });
    expect(record.fault?.message).toContain('The subset "few" names the tool "ad"');
    const unknown = await takeWorkflow({ ...wrong, variant: variantOf('serach') });
    expect(unknown.record.fault?.hint).toContain('search');
  });

  it('end with the server: one that dies in a program is its own fault', async () => {
    const rules = [{ toolCalls: [{ name: 'run_program', input: { code: 'await tools.crash({}); return 1' } }] }];
    const { record } = await takeWorkflow({ rules, workflow, variant: variantOf('code') });
    expect(record.outcome).toBe('error');
    expect(record.fault?.code).toMatch(/^MCP_SERVER/);
  });
});
