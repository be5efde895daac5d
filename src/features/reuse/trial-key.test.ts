import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Trial } from '../../domain/trial.ts';
import type { FoundAgent } from '../../drive/agents/agent.ts';
import { scenarioOf } from '../../testing/support/faulty-parts.ts';
import { temporaryFolder, writeFiles } from '../../testing/support/temporary-folder.ts';
import { TrialKeys } from './trial-key.ts';

const task = { env: { A: 'a' }, mcpServers: {}, binaries: [], inputs: [], setup: ['true'], postScripts: [] };

/** Everything that a key is made of, each of which can be another. */
interface Inputs {
  readonly config?: object;
  readonly scenario?: object;
  readonly caseId?: string;
  readonly evaluators?: readonly { readonly type: string; readonly config: unknown }[];
  readonly variant?: object;
  readonly judge?: unknown;
  readonly version?: string;
  readonly agent?: object;
  readonly plugins?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

async function keyOf(folder: string, given: Inputs = {}): Promise<string> {
  const kind = { name: 'an-agent', inheritedVariables: ['AGENT_MODE'], keyVariables: [] };
  const agent = { kind, version: '1', settings: { env: {}, args: [] }, ...given.agent } as unknown as FoundAgent;
  const env = { PATH: process.env.PATH ?? '', ...given.env };
  const keys = new TrialKeys({
    ...{ env, folder, version: given.version ?? '1', plugins: given.plugins ?? [] },
    agents: {
      find: async (name: string) => {
        if (name !== 'an-agent') throw new Error(`no agent is called ${name}`);
        return agent;
      },
    } as never,
    judgeOf: async (choice) => ({ choice, judge: given.judge ?? 'judge' }),
  });
  const scenario = scenarioOf('S', { type: 'cli-tool', config: { ...task, ...given.config } }, []);
  const evaluators = given.evaluators ?? [];
  const testCase = { caseId: given.caseId ?? 'c', input: {}, expected: undefined, evaluators };
  const variant = { agent: 'an-agent', ...given.variant };
  return keys.of({
    ...{ trialId: 't', runId: 'r', ordinal: 0, repeat: 1, variant, case: testCase },
    scenario: { ...scenario, directory: folder, ...given.scenario },
  } as Trial);
}

const script = { command: './check.sh' };

/** One input that differs, by what a user would call it. */
const differences: Readonly<Record<string, Inputs>> = {
  'the version of Assay': { version: '2' },
  'the content of the scenario': { scenario: { contentHash: 'other' } },
  'the time limit': { scenario: { timeoutMs: 1 } },
  'the case': { caseId: 'd' },
  'the variant': { variant: { model: 'm' } },
  'the settings of the judge': { judge: 'another' },
  'the judge that the file names': { scenario: { judge: { models: ['m'], samples: 3 } } },
  'an environment variable of the tool': { config: { env: { A: 'b' } } },
  'an MCP server': { config: { mcpServers: { s: { command: 'x', args: [], env: {} } } } },
  'a variable that the MCP server names': {
    config: { mcpServers: { s: { url: '${SERVER_URL}', headers: {} } } },
    env: { SERVER_URL: 'http://127.0.0.1:1' },
  },
  'the version of the agent': { agent: { version: '2' } },
  'the settings of the agent': { agent: { settings: { env: {}, args: ['--fast'] } } },
  'a variable that the agent inherits': { env: { AGENT_MODE: 'plan' } },
  'the command of the agent': { agent: { settings: { env: {}, args: [], command: './check.sh' } } },
  'the script of the agent': { agent: { settings: { env: {}, args: [], script: { path: 'SCRIPT' } } } },
  'the program under test': { config: { binary: 'tool.sh' } },
  'a further program': { config: { binary: 'tool.sh', binaries: ['check.sh'] } },
  'declared inputs': { config: { inputs: ['tool.sh'] } },
  'declared inputs by a pattern': { config: { inputs: ['*.sh'] } },
  'a script of the setup': { config: { setup: [script.command] } },
  'a script after the agent': { config: { postScripts: [script] } },
  'a health check': { config: { healthCheck: script.command } },
  'a script of an evaluator': {
    evaluators: [
      { type: 'command_succeeds', config: script },
      { type: 'contains', config: { command: 7 } },
    ],
  },
  'a plug-in': { plugins: ['./plugin.mjs'] },
  'a plug-in of a package': { plugins: ['words'] },
};

const files = {
  'tool.sh': '#!/bin/sh\necho 1.0\n',
  'check.sh': '#!/bin/sh\ntrue\n',
  'script.yaml': 'steps: []\n',
  'plugin.mjs': 'export default {};\n',
  'node_modules/words/package.json': '{"name": "words", "main": "main.js"}',
  'node_modules/words/main.js': 'module.exports = {};\n',
  'data/.assay/kept': 'a',
  'data/list.txt': 'a',
};

async function project(changed: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await temporaryFolder({ ...files, ...changed });
  for (const name of ['tool.sh', 'check.sh']) await chmod(join(folder, name), 0o755);
  return folder;
}

/** Paths are those of the folder. */
function placed(folder: string, inputs: Inputs): Inputs {
  return JSON.parse(JSON.stringify(inputs).replaceAll('SCRIPT', `${folder}/script.yaml`));
}

describe('the key of a trial', () => {
  it('is the same for the same inputs', async () => {
    const folder = await project();
    expect(await keyOf(folder)).toBe(await keyOf(folder));
  });

  it.each(Object.keys(differences))('depends on %s', async (name) => {
    const folder = await project();
    const inputs = placed(folder, differences[name] ?? {});
    expect(await keyOf(folder, inputs)).not.toBe(await keyOf(folder));
    expect(await keyOf(folder, inputs)).toBe(await keyOf(folder, inputs));
  });

  it.each([
    ['the program under test', { 'tool.sh': '#!/bin/sh\necho 1.1\n' }],
    ['declared inputs by a pattern', { 'tool.sh': '#!/bin/sh\necho 1.0 # other\n' }],
    ['a script of the setup', { 'check.sh': '#!/bin/sh\nfalse\n' }],
    ['a script after the agent', { 'check.sh': '#!/bin/sh\nfalse\n' }],
    ['a health check', { 'check.sh': '#!/bin/sh\nfalse\n' }],
    ['a script of an evaluator', { 'check.sh': '#!/bin/sh\nfalse\n' }],
    ['the command of the agent', { 'check.sh': '#!/bin/sh\nfalse\n' }],
    ['the script of the agent', { 'script.yaml': 'steps: [true]\n' }],
    ['a plug-in', { 'plugin.mjs': 'export default { agents: [] };\n' }],
    ['a plug-in of a package', { 'node_modules/words/main.js': 'module.exports = { agents: [] };\n' }],
    ['a further program', { 'check.sh': '#!/bin/sh\nfalse\n' }],
  ])('depends on the content of %s', async (name, changed) => {
    const folder = await project();
    const inputs = placed(folder, differences[name] ?? {});
    const before = await keyOf(folder, inputs);
    await writeFiles(folder, changed);
    expect(await keyOf(folder, inputs)).not.toBe(before);
  });

  it('is refused where a declared input is missing, or a program that is not declared', async () => {
    const folder = await project();
    await expect(keyOf(folder, { config: { inputs: ['absent.txt'] } })).rejects.toThrow('no file matches `absent.txt`');
    await expect(keyOf(folder, { config: { inputs: ['none/*.txt'] } })).rejects.toThrow('no file matches');
    await expect(keyOf(folder, { config: { binary: 'no-such-program' } })).rejects.toThrow('is not installed');
    await expect(keyOf(folder, { config: { binary: 'no-such-program', inputs: ['tool.sh'] } })).resolves.toHaveLength(
      64,
    );
  });

  it('finds a program in the template, and the version that it prints under its own PATH', async () => {
    const folder = await project();
    const template = await temporaryFolder({ 'in-template.sh': '#!/bin/sh\nspeak\n' });
    const paths = await temporaryFolder({ 'one/speak': '#!/bin/sh\necho 1\n', 'two/speak': '#!/bin/sh\necho 2\n' });
    for (const file of [join(template, 'in-template.sh'), join(paths, 'one/speak'), join(paths, 'two/speak')]) {
      await chmod(file, 0o755);
    }
    const config = { binary: 'in-template.sh', template };
    const path = (name: string) => ({ PATH: `${join(paths, name)}:${process.env.PATH ?? ''}` });
    const agent = { settings: { env: {}, args: [], command: 'speak' } };
    const inputs = [{ config }, { config: { binary: 'speak' } }, { agent }];
    const keys = () => Promise.all(inputs.map((each) => keyOf(folder, { ...each, env: path('one') })));
    const before = await keys();
    expect(await keys()).toEqual(before);
    await writeFiles(paths, { 'one/speak': '#!/bin/sh\necho 3\n' });
    const after = await keys();
    expect(after.filter((key, index) => key === before[index])).toEqual([]);
    await expect(keyOf(folder, { config: { binary: 'in-template.sh' } })).rejects.toThrow('is not installed');
  });

  it('is that of the agent which the variant names', async () => {
    const folder = await project();
    await expect(keyOf(folder, { variant: { agent: 'another' } })).rejects.toThrow('no agent is called another');
  });

  it('depends on declared inputs where no program is named, or none is installed', async () => {
    const folder = await project();
    const byBinary = (binary: string | undefined) => keyOf(folder, { config: { inputs: ['data/list.txt'], binary } });
    const before = [await byBinary(undefined), await byBinary('no-such-program')];
    await writeFiles(folder, { 'data/list.txt': 'b' });
    const after = [await byBinary(undefined), await byBinary('no-such-program')];
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });

  it('depends on nothing but the files that a pattern matches, whatever kind of pattern it is', async () => {
    const folder = await project();
    for (const pattern of ['data/*.txt', 'data/lis?.txt', 'data/{list,other}.txt']) {
      const inputs = { config: { inputs: [pattern] } };
      const before = await keyOf(folder, inputs);
      await writeFiles(folder, { 'data/else.md': pattern, 'data/.assay/kept': pattern });
      expect(await keyOf(folder, inputs)).toBe(before);
      await writeFiles(folder, { 'data/list.txt': pattern });
      expect(await keyOf(folder, inputs)).not.toBe(before);
    }
  });

  it('is refused where a declared input cannot be read', async () => {
    const folder = await project();
    await expect(keyOf(folder, { config: { inputs: ['tool.sh/below'] } })).rejects.toThrow('ENOTDIR');
  });

  it('does not depend on the results of Assay and Git beside the inputs', async () => {
    const folder = await project();
    const inputs = { config: { inputs: ['**/*'] } };
    const before = await keyOf(folder, inputs);
    await writeFiles(folder, { '.assay/store': 'x', '.git/index': 'y' });
    expect(await keyOf(folder, inputs)).toBe(before);
  });
});
