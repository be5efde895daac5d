import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const source = (name: string): Promise<string> =>
  readFile(fileURLToPath(new URL(`../../src/testing/support/${name}`, import.meta.url)), 'utf8');
const server = { command: 'node', args: ['server.mjs'] };
const files = { 'server.mjs': await source('mcp-server.mjs'), 'agent.mjs': await source('mcp-agent.mjs') };

const assertions = [
  { type: 'tool-called', config: { tool: 'sample/add' } },
  { type: 'tool-called', config: { tool: 'mcp__sample__add' } },
  { type: 'tool-not-called', config: { tool: 'sample/add' } },
  { type: 'tool-not-called', config: { tool: 'sample/divide' } },
];
const budget = { type: 'tool-call-budget', config: { perTool: { 'sample/add': 0 } } };
const ordered = { type: 'tool-order', config: { tools: ['sample/add'], order: 'exact' } };
const withTurns = [...assertions, budget, ordered];
const verdicts = ['pass', 'pass', 'fail', 'pass'];

/** What each driver is given; all of them call `add` of the server that calls itself "sample". */
const drivers: Readonly<Record<string, { readonly scenario: object; readonly config?: object }>> = {
  'a direct call': {
    scenario: {
      name: 'sums',
      description: 'It adds',
      call: { server, tool: 'add' },
      cases: [{ name: 'one', input: { a: 2, b: 3 } }],
      evaluators: assertions,
    },
  },
  'a model': {
    scenario: {
      server,
      model: 'openai/gpt-4o',
      workflows: [{ name: 'sums', steps: [{ user: 'add' }], evaluators: withTurns }],
    },
  },
  'a coding agent': {
    scenario: {
      server,
      agents: ['mine'],
      workflows: [{ name: 'sums', steps: [{ user: 'call add {"a":2,"b":3}' }], evaluators: withTurns }],
    },
    config: { isolation: 'none', agents: { mine: { command: 'node ${PROJECT}/agent.mjs' } } },
  },
  'a bare model with tools': {
    scenario: {
      name: 'sums',
      connector: { type: 'openai-chat', config: { model: 'gpt-4o-mini' }, toolLoop: { tools: [{ server }] } },
      userMessages: ['How much is 2 and 3?'],
      evaluators: withTurns,
    },
  },
};

async function modelThatAdds(): Promise<Readonly<Record<string, string>>> {
  const model = await startScriptedModel({
    rules: [
      { when: { toolResult: '5' }, reply: 'That is 5.' },
      { toolCalls: [{ name: 'add', input: { a: 2, b: 3 } }] },
    ],
  });
  onTestFinished(() => model[Symbol.asyncDispose]());
  return { OPENAI_API_KEY: 'any', ...model.environment };
}

describe('the tool of an MCP server has the same names', () => {
  it.each(Object.entries(drivers))('when %s calls it', async (driver, { scenario, config = {} }) => {
    const folder = await temporaryFolder({ ...files, 's.json': JSON.stringify(scenario) });
    const written = JSON.stringify(config).replaceAll('${PROJECT}', folder);
    await writeFiles(folder, { 'assay.config.json': written });
    const run = await assay(['run', 's.json', '--json', '--no-cache'], { cwd: folder, env: await modelThatAdds() });
    const { trials } = JSON.parse(run.stdout);
    const results: { type: string; state: string; reason: string }[] = trials[0].evaluatorResults;
    const named = results.filter(({ type }) => withTurns.some((assertion) => assertion.type === type));
    const turns = driver === 'a direct call' ? [] : ['fail', 'pass'];
    expect(named.map(({ state }) => state)).toEqual([...verdicts, ...turns]);
  });
});
