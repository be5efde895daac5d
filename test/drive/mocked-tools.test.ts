import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Trace } from '../../src/domain/trace.ts';
import { eventsOf } from '../../src/domain/trace.ts';
import type { ScriptSource } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { driven, mcpProject, server, trialsIn } from '../../src/testing/support/mcp-project.ts';

const env = { OPENAI_API_KEY: 'sk-any' };
const model = 'openai/gpt-4o';

const orders = {
  transport: 'mock',
  name: 'orders',
  version: '2.0',
  instructions: 'Orders of a shop.',
  tools: {
    search_orders: {
      description: 'Find the orders of a customer',
      inputSchema: { type: 'object', properties: { customer: { type: 'string' } }, required: ['customer'] },
      outputSchema: { type: 'object', properties: { orders: { type: 'array' } }, required: ['orders'] },
      answers: [
        { when: { args: { customer: 'ada' } }, result: { orders: [{ id: 7, of: '{{args.customer}}' }] } },
        { when: { call: 2 }, error: 'No customer {{args.customer}}, call {{call}}' },
      ],
    },
    clock: { answers: { error: { code: -32000, message: 'stopped' }, delay: 5 } },
  },
  resources: { 'shop://hours': { text: 'nine to five' } },
  prompts: { greet: { arguments: [{ name: 'who', required: true }], messages: [{ text: 'Greet {{args.who}}.' }] } },
};

/** One case of the store: the only trial of the run that a command printed, with its trace. */
async function onlyTrial(folder: string, run: Awaited<ReturnType<typeof driven>> | Awaited<ReturnType<typeof assay>>) {
  const [trial] = trialsIn(run);
  if (!trial) throw new Error(`No trial: ${run.stderr}`);
  const shown = await assay(['show', trial.trialId, '--json'], { cwd: folder });
  return { trial, trace: (JSON.parse(shown.stdout) as { trace: Trace }).trace };
}

describe('a mocked MCP server', () => {
  it.each(['legacy', 'modern'])(
    'is tested by suites and used by a workflow without a process (%s)',
    async (protocol) => {
      const rules: ScriptSource['rules'] = [
        { when: { toolResult: '"id":7' }, reply: 'Ada has order 7.' },
        { when: { last: 'orders' }, toolCalls: [{ name: 'search_orders', input: { customer: 'ada' } }] },
      ];
      const config = {
        server: { ...orders, protocol },
        model,
        workflows: [
          {
            name: 'Orders',
            steps: [{ user: 'Which orders has Ada?', expectTools: ['search_orders'], expectedState: 'order 7' }],
          },
        ],
      };
      const suites = {
        server: { ...orders, protocol },
        toolHealthSuites: [
          {
            name: 'Tools',
            tests: [
              {
                name: 'search_orders',
                description: 'matched',
                args: { customer: 'ada' },
                expectedResult: { orders: [{ id: 7, of: 'ada' }] },
              },
              {
                name: 'search_orders',
                description: 'second',
                args: { customer: 'bob' },
                expectedError: 'No customer bob, call 2',
              },
              {
                name: 'search_orders',
                description: 'third',
                args: { customer: 'bob' },
                expectedError: 'No mock of "search_orders" matches these arguments: {"customer":"bob"}',
              },
              { name: 'search_orders', description: 'invalid', args: {}, expectedError: 'Invalid arguments' },
              { name: 'clock', description: 'protocol error', args: {}, expectedError: 'stopped' },
              { name: 'nothing', args: {}, expectedError: 'Unknown tool' },
            ],
          },
        ],
        resourceSuites: [
          { name: 'Resources', tests: [{ name: 'hours', uri: 'shop://hours', expectedContent: 'nine to five' }] },
        ],
        promptSuites: [
          { name: 'Prompts', tests: [{ name: 'greet', args: { who: 'Bob' }, expectedContent: 'Greet Bob.' }] },
        ],
      };
      const folder = await mcpProject({ 'flow.json': config, 'suites.json': suites });
      const tested = await assay(['eval', 'suites.json', '--json'], { cwd: folder });
      const health = trialsIn(tested).flatMap(({ toolHealth }) => toolHealth ?? []);
      expect(health.map(({ testName, state, details }) => [testName, state, state === 'pass' ? '' : details])).toEqual(
        ['matched', 'second', 'third', 'invalid', 'protocol error', 'nothing test', 'hours', 'greet'].map((name) => [
          name,
          'pass',
          '',
        ]),
      );

      const run = await driven({ folder, args: ['eval', 'flow.json', '--json'], rules, env });
      const { trial, trace } = await onlyTrial(folder, run);
      expect(trial).toMatchObject({ outcome: 'pass', control: { mock: 1 } });
      expect(eventsOf(trace, 'mcp-server')).toMatchObject([{ name: 'orders', version: '2.0', transport: 'mock' }]);
      expect(eventsOf(trace, 'tool-result')).toMatchObject([{ answeredBy: 'mock' }]);
      expect(eventsOf(trace, 'tool-control')).toMatchObject([
        {
          border: 'mcp',
          tool: 'search_orders',
          callNumber: 1,
          kind: 'mock',
          rule: 'tools.search_orders.answers[0]',
          what: 'answered with a result',
        },
      ]);
      expect(eventsOf(trace, 'notice')).toEqual([]);
      expect(JSON.stringify(run.requests[0])).toContain('Orders of a shop.');
    },
  );
});

describe('a mocked tool of a real server', () => {
  const flow = {
    name: 'Sum',
    steps: [{ user: 'Please add 2 and 3', expectTools: ['add', 'greet'], expectedState: 'done' }],
  };
  const rules: ScriptSource['rules'] = [
    { when: { toolResult: 'Hello, Ada!' }, reply: 'All done.' },
    { when: { toolResult: 'sum 2' }, toolCalls: [{ name: 'greet', input: { name: 'Ada' } }] },
    { when: { last: 'Please add' }, toolCalls: [{ name: 'add', input: { a: 2, b: 3 } }] },
  ];

  it('is answered by the mock, and the other tools by the server; each repeat counts its own calls', async () => {
    const config = {
      server,
      model,
      repeat: 2,
      tools: { add: { when: { call: 1 }, result: 'sum {{args.a}}' } },
      workflows: [flow],
    };
    const folder = await mcpProject({ 'c.json': config });
    const run = await driven({ folder, args: ['eval', 'c.json', '--json'], rules, env });
    expect(trialsIn(run).map(({ outcome }) => outcome)).toEqual(['pass', 'pass']);
    const { trial, trace } = await onlyTrial(folder, run);
    expect(trial).toMatchObject({ control: { mock: 1 } });
    expect(eventsOf(trace, 'tool-result').map(({ answeredBy }) => answeredBy)).toEqual(['mock', undefined]);
    expect(eventsOf(trace, 'tool-control')).toMatchObject([{ server: 'server', tool: 'add', rule: 'c.json:12:12' }]);
    const shown = await assay(['show', trial.trialId], { cwd: folder });
    expect(shown.stdout).toContain('mock: call 1 of server › add answered with a result (c.json:12:12)');
  });

  it('can be left to the server for some calls, in a suite and in a call', async () => {
    const tools = {
      add: [{ when: { args: { a: 1 } }, result: 'one' }, { real: true }],
      divide: { error: 'broken' },
    };
    const suite = {
      name: 'Sums',
      tests: [
        { name: 'add', description: 'mocked', args: { a: 1, b: 1 }, expectedResult: 'one' },
        { name: 'add', description: 'real', args: { a: 2, b: 2 }, expectedResult: 4 },
        { name: 'divide', description: 'broken', args: { a: 2, b: 2 }, expectedError: 'broken' },
      ],
    };
    const call = {
      name: 'A call',
      call: { server, tool: 'add' },
      input: { a: 1, b: 5 },
      tools,
      passCriteria: ["result == 'one'"],
    };
    const folder = await mcpProject({ 'c.json': { server, tools, toolHealthSuites: [suite] }, 'call.json': call });
    const run = await assay(['run', 'c.json', 'call.json', '--json'], { cwd: folder });
    expect(trialsIn(run).map(({ scenario, outcome, reason }) => [scenario, outcome, reason])).toEqual([
      ['Sums', 'pass', expect.any(String)],
      ['A call', 'pass', expect.any(String)],
    ]);
  });

  it('is refused before the model is called when it contradicts the tool, with its place', async () => {
    const contradictions: readonly [object, string][] = [
      [{ ad: { result: 1 } }, 'has no tool "ad" (mocked at c.json:11:11; did you mean `add`?)'],
      [
        { add: { when: { args: { a: 'two' } }, result: 1 } },
        'c.json:13:17: the arguments do not fit the input schema: $.a',
      ],
      [{ add: { when: { args: { x: 2 } }, result: 1 } }, 'c.json:13:17: the tool has no argument `x`'],
      [
        { divide: { result: { quotient: 'many' } } },
        'c.json:12:17: the result does not fit the output schema: $.quotient',
      ],
    ];
    for (const [tools, message] of contradictions) {
      const folder = await mcpProject({ 'c.json': { server, model, tools, workflows: [flow] } });
      const run = await driven({ folder, args: ['eval', 'c.json', '--json'], rules, env });
      expect(trialsIn(run)).toMatchObject([
        { outcome: 'error', reason: expect.stringContaining(message), fault: { code: 'MOCK_UNUSABLE', blame: 'user' } },
      ]);
      expect([run.exitCode, run.requests]).toEqual([3, []]);
    }
  });

  it('cannot answer with an argument that the call does not have: that is an error, not a verdict', async () => {
    const config = { server, model, tools: { add: { result: '{{args.c}}' } }, workflows: [flow] };
    const folder = await mcpProject({ 'c.json': config });
    const run = await driven({ folder, args: ['eval', 'c.json', '--json'], rules, env });
    expect(trialsIn(run)).toMatchObject([
      { outcome: 'error', reason: expect.stringContaining('{{args.c}}'), fault: { code: 'MOCK_UNUSABLE' } },
    ]);
  });
});

describe('an agent whose MCP server is mocked', () => {
  const agentFile = new URL('../../src/testing/support/mcp-agent.mjs', import.meta.url);

  async function byAgent(config: object) {
    const folder = await mcpProject({ 'mcp.json': config, 'agent.mjs': await readFile(agentFile, 'utf8') });
    const agents = { mine: { command: `node ${folder}/agent.mjs` } };
    await writeFile(join(folder, 'assay.config.json'), JSON.stringify({ isolation: 'none', agent: 'mine', agents }));
    const run = await assay(['run', 'mcp.json', '--json', '--agent', 'mine'], { cwd: folder });
    return { run, ...(await onlyTrial(folder, run)) };
  }

  const calls = (trace: Trace) =>
    eventsOf(trace, 'tool-result')
      .filter(({ seenBy }) => seenBy === 'recorder')
      .map(({ answeredBy, error }) => [answeredBy, error?.message]);

  it('gets the answers of the mock through the proxy, with no server behind it', async () => {
    const user = 'call search_orders {"customer":"ada"}\ncall search_orders {"customer":"bob"}\ncall clock';
    const steps = [{ user, expectTools: ['search_orders'], expectedState: 'orders' }];
    const { trial, trace } = await byAgent({ server: orders, workflows: [{ name: 'Talk', steps }] });
    expect(calls(trace)).toEqual([
      ['mock', undefined],
      ['mock', 'No customer bob, call 2'],
      ['mock', 'stopped'],
    ]);
    expect(eventsOf(trace, 'tool-control')).toMatchObject([
      { seenBy: 'recorder', tool: 'search_orders', callNumber: 1, rule: 'tools.search_orders.answers[0]' },
      { tool: 'search_orders', callNumber: 2 },
      { tool: 'clock', callNumber: 1, what: 'answered with an error' },
    ]);
    expect(trial).toMatchObject({ control: { mock: 3 } });
    expect(trial.fault).toBeUndefined();
  });

  it('gets the answers of mocks and of the real server, and errors where a mock contradicts it', async () => {
    const steps = [
      {
        user: 'call add {"a":2,"b":3}\ncall greet {"name":"Ada"}',
        expectTools: ['add', 'greet'],
        expectedState: 'Ada',
      },
    ];
    const workflows = [{ name: 'Talk', steps }];
    const good = await byAgent({ server, tools: { add: { result: 'sum {{args.a}}' } }, workflows });
    expect(calls(good.trace)).toEqual([
      ['mock', undefined],
      [undefined, undefined],
    ]);
    expect(good.trial).toMatchObject({ outcome: 'pass', control: { mock: 1 } });
    expect(eventsOf(good.trace, 'notice')).toEqual([]);
    const bad = await byAgent({ server, tools: { ad: { result: 'sum' } }, workflows });
    expect(bad.trial).toMatchObject({
      outcome: 'error',
      reason: expect.stringContaining('has no tool "ad" (mocked at mcp.json:'),
      fault: { code: 'MOCK_UNUSABLE' },
    });
  });
});

it('`assay mcp mock` serves a mocked server to any client, and names every call', async () => {
  const folder = await mcpProject({ 'orders.json': orders, 'c.json': { server, tools: {}, workflows: [] } });
  const messages = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'clock', arguments: {} } },
    { id: 3, method: 'tools/call', params: { name: 'search_orders', arguments: { customer: 'cy' } } },
    { id: 4, method: 'prompts/get', params: { name: 'greet' } },
  ];
  const lines = messages.map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
  const input = `${[...lines, 'no message'].join('\n')}\n`;
  const { stdout, stderr, exitCode } = await assay(['mcp-mock', 'orders.json'], { cwd: folder, stdin: input });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.find(({ id }) => id === 1).result).toMatchObject({
    serverInfo: { name: 'orders' },
    protocolVersion: '2025-06-18',
  });
  expect(answers.find(({ id }) => id === 2).error).toEqual({ code: -32000, message: 'stopped' });
  expect(answers.find(({ id }) => id === 3).result).toMatchObject({ isError: true });
  expect(answers.find(({ id }) => id === 4).error).toEqual({ code: -32602, message: 'Missing argument: who' });
  expect(answers.find(({ id }) => id === null).error).toMatchObject({ code: -32700 });
  expect(stderr).toContain('mock: call 1 of search_orders no mock matches the arguments {"customer":"cy"}');
  expect(exitCode).toBe(0);
  const real = await assay(['mcp-mock', 'c.json'], { cwd: folder });
  expect(real).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is not a mocked one') });
});
