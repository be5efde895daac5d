import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { reporters } from '../../src/report/reporters/index.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { toolEnvironment, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';

/** A scenario for each border where Assay stands in for tools. */
const scenarios = {
  'Suite.json': {
    server: { command: 'node', args: ['./server.mjs'] },
    toolHealthSuites: [{ name: 'Suite', tests: [{ name: 'add', args: { title: 'tea' }, expectedResult: 'tea' }] }],
  },
  'Call.json': {
    name: 'Call',
    call: { command: 'sh sum.sh' },
    cases: [{ name: 'sum', input: { a: 1 }, passCriteria: ['result === 3'] }],
  },
  'Loop.json': {
    name: 'Loop',
    connector: {
      type: 'openai-chat',
      config: { model: 'gpt-4o' },
      toolLoop: { tools: [{ name: 'price', description: 'Tells the price', command: 'sh price.sh' }] },
    },
    userMessages: ['What does it cost?'],
    evaluators: [{ type: 'tool-result', config: { tool: 'price', contains: '12' } }],
  },
};

const tools = ['server.mjs', 'sum.sh', 'price.sh', 'bin/my-tool'];
const names = ['Items', 'Suite', 'Call', 'Loop'];
const server = fileURLToPath(new URL('../../src/testing/support/tasks-server.mjs', import.meta.url));

/** Lines of a text that say that a scenario passed, and not that it was replayed. */
function unmarked(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => /✓|✅|\bPASS\b|\bpassed\b/i.test(line) && names.some((name) => line.includes(name)))
    .filter((line) => !line.includes('replayed'));
}

/** A project with two runs: one with the real tools, and the replay of it without them. */
async function replayedProject() {
  const model = await startScriptedModel({
    rules: [
      { when: { turn: 1 }, reply: 'One moment.', toolCalls: [{ name: 'price', input: {} }] },
      { reply: 'It costs 12.' },
    ],
  });
  onTestFinished(() => model[Symbol.asyncDispose]());
  const cwd = await toolProject({
    scenario: toolScenario('[{ type: command_succeeds, command: "grep milk list.txt" }]'),
    script: JSON.stringify({ steps: [{ run: 'my-tool create --title milk && my-tool list > list.txt' }] }),
    files: {
      ...Object.fromEntries(Object.entries(scenarios).map(([name, data]) => [name, JSON.stringify(data)])),
      'sum.sh': 'echo 3',
      'price.sh': 'echo 12',
    },
  });
  await copyFile(server, join(cwd, 'server.mjs'));
  const env = { ...toolEnvironment(cwd), ...model.environment, OPENAI_API_KEY: 'any' };
  const files = ['scenario.yaml', ...Object.keys(scenarios)];
  const recorded = await assayInProcess(['run', ...files, '--record-tools', 'tape', '--quiet'], { cwd, env });
  expect(recorded.exitCode, recorded.stdout).toBe(0);
  for (const tool of tools) await rm(join(cwd, tool));
  const replayed = await assayInProcess(['run', ...files, '--replay-tools', 'tape', '--json'], { cwd, env });
  const { totals, trials } = JSON.parse(replayed.stdout);
  expect([replayed.exitCode, totals.pass]).toEqual([0, names.length]);
  const printed = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await assayInProcess(args, { cwd, env });
    return `${stdout}${stderr}`;
  };
  return { printed, trials: trials as readonly { readonly trialId: string }[] };
}

describe('a replayed run whose tools are gone', () => {
  it('is marked in every report and by every command that shows it', async () => {
    const { printed, trials } = await replayedProject();
    // A log of Inspect has one scenario.
    for (const { name } of reporters.filter((reporter) => reporter.name !== 'inspect')) {
      const text = await printed('report', 'latest', '-f', name, '-o', '-');
      expect([name, /\breplayed\b/.test(text)]).toEqual([name, true]);
      if (['console', 'markdown', 'github'].includes(name)) expect([name, unmarked(text)]).toEqual([name, []]);
    }
    const [runs = ''] = (await printed('runs')).split('\n');
    expect(runs).toContain('replayed');
    const shown = await printed('show', 'latest');
    expect([shown.includes('replayed'), unmarked(shown)]).toEqual([true, []]);
    for (const { trialId } of trials) expect((await printed('show', trialId)).split('\n')[0]).toContain('replayed');
    for (const name of names) {
      expect(await printed('diff', 'latest~1', 'latest', '--scenario', name)).toMatch(/B .*1 passed \(1 replayed\)/);
    }
    expect(await printed('compare', 'latest~1', 'latest', '--force')).toContain('replayed in B');
    expect(await printed('baseline', 'set', 'latest')).toContain('are replayed, so it cannot be a baseline');
    await printed('run', 'Call.json', '--replay-tools', 'tape');
    expect(await printed('report', 'latest', '-f', 'inspect', '-o', '-')).toContain('"assay_marks":["replayed"]');
  });
});
