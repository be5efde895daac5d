import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { unsteadyServer } from '../../src/testing/support/mcp-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const files = {
  'a.yaml':
    'name: A\ncall: { module: ./tool.mjs, export: add }\ncases: [{ input: { a: 1 } }]\npassCriteria: [result === 2]\n',
  'b.yaml':
    "name: B\ncall: { command: './tool --data ./data.json' }\ncases: [{ input: 1 }]\npassCriteria: [result === 1]\n",
  'tool.mjs': "import { one } from './lib/one.js';\nexport const add = ({ a }) => a + one;\n",
  'lib/one.js': "export * from './number.js';\n",
  'lib/number.js': 'export const one = 1;\n',
  tool: '#!/bin/sh\ncat\n',
  'data.json': '{}',
};

async function begun(): Promise<{ readonly cwd: string; resume(): ReturnType<typeof assay> }> {
  const cwd = await temporaryFolder(files);
  await chmod(join(cwd, 'tool'), 0o755);
  const { stdout } = await assay(['run', '--json'], { cwd });
  const { runId, totals } = JSON.parse(stdout);
  expect(totals.pass).toBe(2);
  return { cwd, resume: () => assay(['run', '--resume', runId, '--json'], { cwd }) };
}

describe('a run is not resumed', () => {
  it.each([
    ['a module that a called module imports', 'lib/number.js', 'export const one = 2;\n'],
    ['a program', 'tool', '#!/bin/sh\necho 1\n'],
  ])('with another version of %s', async (_, path, text) => {
    const { cwd, resume } = await begun();
    await writeFile(join(cwd, path), text);
    const { exitCode, stderr } = await resume();
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`since it started, ${path} was changed`);
  });

  it('only for code: data that a tool may write itself can change', async () => {
    const { cwd, resume } = await begun();
    await writeFile(join(cwd, 'data.json'), '{"a":1}');
    expect((await resume()).exitCode).toBe(0);
  });
});

describe('a run that is resumed with other definitions of tools than it began with', () => {
  it('has no verdict where they are met, and goes on with the first ones', async () => {
    const cwd = await temporaryFolder({
      'server.mjs': await unsteadyServer(),
      's.yaml': `name: S
call: { server: { command: node, args: [./server.mjs] }, tool: add }
cases: [{ input: { a: 1, b: 1 } }, { input: { a: 2, b: 2 } }]
passCriteria: [result === input.a + input.b]
`,
    });
    const run = async (env: Record<string, string>, ...args: string[]) =>
      JSON.parse((await assay(['run', '--json', '--concurrency', '1', ...args], { cwd, env })).stdout);
    const first = await run({ WORDS: 'one', LOST: '2' });
    expect(first.totals).toMatchObject({ pass: 1, error: 1 });
    const again = ['--retry-errors', '--resume', first.runId];
    const { trials } = await run({ WORDS: 'two' }, ...again);
    expect(trials.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['pass', 'error']);
    expect(trials[1]).toMatchObject({
      fault: {
        code: 'MCP_TOOLS_CHANGED',
        message: expect.stringContaining('not those that the run began with: add of'),
      },
    });
    expect((await run({ WORDS: 'one' }, ...again)).totals).toMatchObject({ pass: 2 });
  });

  it('has none in a conversation either, whether the tools are those of its agent or of its user', async () => {
    const toolLoop = { tools: [{ server: { command: 'node', args: ['./server.mjs'] } }] };
    const talk = (model: string) => ({ type: 'openai-chat', config: { model } });
    const evaluators = [{ type: 'contains', config: { text: 'Hi' } }];
    const agents = { name: 'Agent', connector: { ...talk('one'), toolLoop }, userMessages: ['Hello'], evaluators };
    const persona = { name: 'Ann', model: 'openai/user', goal: 'a sum', toolLoop };
    const users = { name: 'User', connector: talk('two'), persona, maxMessages: 2, evaluators };
    const cwd = await temporaryFolder({
      'server.mjs': await unsteadyServer(),
      'agent.json': JSON.stringify(agents),
      'user.json': JSON.stringify(users),
    });
    const json = { reason: 'so', message: 'Hello', isDone: false, ending: 'none' };
    const said = [{ when: { model: 'user' }, reply: { json } }, { reply: 'Hi' }];
    const lost = ['one', 'two'].map((model) => ({ when: { model, nth: 2 }, fault: { status: 400 } }));
    const run = async (rules: ScriptSource['rules'], words: Record<string, string>, ...args: string[]) => {
      await using model = await startScriptedModel({ rules });
      const env = { OPENAI_API_KEY: 'any', ...model.environment, ...words };
      const flags = ['--json', '--no-cache', '--concurrency', '1'];
      return JSON.parse((await assay(['run', ...flags, ...args], { cwd, env })).stdout);
    };
    const first = await run([...lost, ...said], { WORDS: 'one' }, '--repeat', '2');
    expect(first.totals).toMatchObject({ pass: 2, error: 2 });
    const again = ['--retry-errors', '--resume', first.runId];
    for (const words of [{ WORDS: 'two' }, { WORDS: 'one', EMPTY: '1' }] as Record<string, string>[]) {
      const { trials } = await run(said, words, ...again);
      const errors = trials.filter(({ outcome }: { outcome: string }) => outcome === 'error');
      const changed = { fault: { code: 'MCP_TOOLS_CHANGED', message: expect.stringContaining('began with: add of') } };
      expect(errors).toMatchObject([changed, changed]);
    }
    expect((await run(said, { WORDS: 'one' }, ...again)).totals).toMatchObject({ pass: 4 });
  });
});
