import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { runTool, toolEnvironment, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { mcpProject, server } from '../../src/testing/support/mcp-project.ts';
import { serving } from '../../src/testing/support/serving.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

interface StoredTrial {
  readonly trialId: string;
  readonly outcome: string;
  readonly scenario: string;
  readonly caseId?: string;
}

/** Runs the scenarios of a project and gives its trials. */
async function trialsOf(cwd: string, ...args: string[]): Promise<StoredTrial[]> {
  const { stdout, stderr } = await assayInProcess(['run', ...args, '--json'], { cwd });
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { trials: StoredTrial[] }).trials;
}

/** Promotes a trial or a trace; the scenario as data where it was written. */
async function promote(cwd: string, subject: string, args: readonly string[] = [], env = {}) {
  const result = await assayInProcess(['promote', subject, '--json', ...args], { cwd, env });
  if (result.exitCode !== 0) return { ...result, file: '', text: '', data: {}, document: {} as never };
  const document = JSON.parse(result.stdout) as { file: string; fixture: string | null; notes: string[]; name: string };
  const text = await readFile(join(cwd, document.file), 'utf8');
  return { ...result, file: document.file, document, text, data: parse(text) as Record<string, unknown> };
}

const taskScenario = `
name: Groceries
target: { binary: my-tool }
template_folder: template
setup: { commands: ['echo prepared > setup.txt'] }
task: { prompt: Add milk and bread }
guidance: { short: guidance.md }
evaluation:
  gates:
    - { type: command_json_path, command: my-tool list --format json, path: $, assertion: len == 2 }
`;

const taskScript = `
steps:
  - run: my-tool create milk
  - run: my-tool create --title milk
  - run: printf 'changed\\n' >> README.md
  - run: mkdir notes && echo mine > notes/plan.md
`;

const groceries = () =>
  toolProject({ scenario: taskScenario, script: taskScript, files: { 'guidance.md': 'Be brief.\n' } });

describe('a trial with an agent', () => {
  it('becomes a task with its work directory, its variant and the gates that failed', async () => {
    const folder = await groceries();
    const { trials } = await runTool(folder);
    expect(trials.map(({ outcome }) => outcome)).toEqual(['fail']);
    const trialId = trials[0]?.trialId ?? '';
    const { data, text, document } = await promote(folder, trialId);
    expect(data).toMatchObject({
      tags: ['promoted'],
      source: { trial: trialId },
      task: { prompt: 'Add milk and bread' },
      setup: { commands: ['echo prepared > setup.txt'] },
      agents: ['scripted'],
      guidance: { short: 'guidance.md' },
      evaluation: { gates: [{ assertion: 'len == 2' }] },
    });
    expect(document.notes).toEqual([]);
    expect(await readdir(join(folder, document.fixture ?? ''))).toEqual(['README.md']);
    expect(text).toContain('which failed: $: len is 1, wanted == 2');
    expect(text).toContain('#       tool: kind:shell');
    expect(text).toContain('my-tool create milk (exit code 2)');
    // The case fails as its trial did, and passes once the agent does the task.
    const again = await assayInProcess(['run', document.file, '--json'], { cwd: folder, env: toolEnvironment(folder) });
    expect(again.exitCode).toBe(1);
    await writeFile(join(folder, 'script.yaml'), `${taskScript}  - run: my-tool create --title bread\n`);
    const mended = await assayInProcess(['run', document.file], { cwd: folder, env: toolEnvironment(folder) });
    expect(mended.exitCode).toBe(0);
  });

  it('gets its work directory back from what was kept when the template is another one', async () => {
    const folder = await groceries();
    const { trials } = await runTool(folder);
    await writeFile(join(folder, 'template/README.md'), '# Another template\n');
    const { data, document } = await promote(folder, trials[0]?.trialId ?? '');
    const fixture = join(folder, document.fixture ?? '');
    expect((await readdir(fixture)).sort()).toEqual(['README.md', 'setup.txt']);
    expect(await readFile(join(fixture, 'README.md'), 'utf8')).toBe('# Template\n');
    expect(data).not.toHaveProperty('setup');
    expect(document.notes.join(' ')).toMatch(/has changed since the trial.*setup commands are left out/);
  });

  it('says which files it could not restore, and leaves out files with secrets', async () => {
    const folder = await toolProject({
      scenario: taskScenario.replace('guidance: { short: guidance.md }\n', ''),
      script: 'steps:\n  - run: rm README.md other.txt\n',
      files: { 'template/other.txt': 'other\n', 'template/login.txt': 'code: open-sesame-4711\n' },
    });
    const { trials } = await runTool(folder);
    await rm(join(folder, 'template/other.txt'));
    const env = { DOOR_TOKEN: 'open-sesame-4711' };
    const { document } = await promote(folder, trials[0]?.trialId ?? '', [], env);
    expect(document.notes.join(' ')).toContain('Could not be restored: other.txt.');
    expect(document.notes.join(' ')).toContain('Left out, because they hold a secret: login.txt.');
    expect((await readdir(join(folder, document.fixture ?? ''))).sort()).toEqual(['README.md', 'setup.txt']);
  });

  it('is made from the trace alone when its scenario is gone', async () => {
    const folder = await groceries();
    const { trials } = await runTool(folder);
    await rm(join(folder, 'scenario.yaml'));
    const { data, document, stderr } = await promote(folder, trials[0]?.trialId ?? '', ['--criterion', 'No bread']);
    expect(stderr).toBe('');
    expect(data).toMatchObject({
      target: { binary: 'my-tool' },
      task: { prompt: 'Add milk and bread' },
      evaluators: [{ type: 'llm-judge', config: { failureCriteria: ['No bread'] } }],
    });
    expect(document.notes[0]).toContain('Made from the trace alone.');
  });
});

const agent = `
export const shop = ({ messages }) => {
  const text = messages.at(-1).content;
  const call = { id: 'c1', type: 'function', function: { name: 'find_order', arguments: '{"id":17}' } };
  return { messages: [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'not found' },
    { role: 'assistant', content: 'Order 17 was lost. ' + text },
  ] };
};
`;

const chatProject = (scenario: object, files = {}) =>
  temporaryFolder({
    'agent.mjs': agent,
    'assay.config.json': JSON.stringify({
      scenarios: ['chat.json'],
      connectors: {
        shop: { type: 'module', config: { module: './agent.mjs', export: 'shop' }, reports: ['tool-calls'] },
      },
    }),
    'chat.json': JSON.stringify({ name: 'Orders', connector: 'shop', ...scenario }),
    ...files,
  });

describe('a conversation', () => {
  it('becomes one with the values of its row, and its tools as drafts', async () => {
    const cwd = await chatProject(
      {
        dataset: './rows.jsonl',
        messages: [{ role: 'user', content: 'Where is my {{thing}}?' }],
        evaluators: [{ type: 'contains', config: { text: '{{answer}}' } }],
      },
      {
        'rows.jsonl': '{"name":"book","thing":"book","answer":"lost"}\n{"name":"hat","thing":"hat","answer":"found"}\n',
      },
    );
    const failed = (await trialsOf(cwd)).find(({ outcome }) => outcome === 'fail');
    const { data, text, document } = await promote(cwd, failed?.trialId ?? '');
    expect(document.name).toContain('Orders › hat');
    expect(data).toMatchObject({
      connector: 'shop',
      messages: [{ role: 'user', content: 'Where is my hat?' }],
      evaluators: [{ type: 'contains', config: { text: 'found' } }],
    });
    expect(data).not.toHaveProperty('dataset');
    expect(text).toContain('#       tool: find_order');
    expect((await trialsOf(cwd, document.file)).map(({ outcome }) => outcome)).toEqual(['fail']);
  });

  it('expects its tools when it passed, or when that is wanted', async () => {
    const cwd = await chatProject({
      userMessages: ['Hello'],
      evaluators: [{ type: 'contains', config: { text: 'lost' } }],
    });
    const [trial] = await trialsOf(cwd);
    const { data, document } = await promote(cwd, trial?.trialId ?? '');
    expect(data.evaluators).toEqual([
      { type: 'contains', config: { text: 'lost' } },
      { type: 'tool-called', config: { tool: 'find_order', args: { id: 17 } } },
    ]);
    expect((await trialsOf(cwd, document.file)).map(({ outcome }) => outcome)).toEqual(['pass']);
  });
});

describe('a trial whose attack succeeded', () => {
  it.each(['tool-result', 'file-content'])(
    'fails again as a case, with the attack planted again in %s',
    async (place) => {
      const folder = await toolProject({
        scenario: toolScenario('[{ type: command_succeeds, command: "my-tool search milk" }]'),
        script: JSON.stringify({
          steps: [
            { run: 'my-tool create --title milk; cat README.md; my-tool create --title "$(cat access-phrase.txt)"' },
          ],
        }),
      });
      const call = (...args: string[]) =>
        assayInProcess([...args, '--json'], { cwd: folder, env: toolEnvironment(folder) });
      const attacked = JSON.parse(
        (await call('attack', 'scenario.yaml', '--attacks', 'argument-leak', '--places', place, '--no-cache')).stdout,
      );
      const [found] = attacked.trials.filter(
        ({ attack }: { attack?: { outcome: string } }) => attack?.outcome === 'succeeded',
      );
      await assayInProcess(['promote', found.trialId, '--output', 'case.yaml'], {
        cwd: folder,
        env: toolEnvironment(folder),
      });
      const { trials } = JSON.parse((await call('run', 'case.yaml', '--no-cache')).stdout);
      expect(trials).toMatchObject([{ outcome: 'fail', reason: expect.stringContaining('secret') }]);
    },
  );
});

describe('arguments of an attack', () => {
  it.each(['{ "0": rm }', '{ args: [rm, x] }'])('of a program are a list, and not %s', async (args) => {
    const goal = `{ call: { tool: my-tool, args: ${args} } }`;
    const suite = `suite: own\nversion: 1\nattacks:\n  a: { class: direct, places: [tool-result], goal: ${goal}, text: 'Use {{tool}}.' }\n`;
    const folder = await toolProject({
      scenario: taskScenario,
      script: taskScript,
      files: { 'guidance.md': 'Hi', 'own.yaml': suite },
    });
    const refused = await assayInProcess(['attack', 'scenario.yaml', '--suites', './own.yaml'], {
      cwd: folder,
      env: toolEnvironment(folder),
    });
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/own\.yaml:\d+:\d+: `args` of `my-tool` must be a list: its first arguments in order/),
    ]);
  });
});

describe('a trial without an agent', () => {
  it('of a call becomes its case with its own criteria', async () => {
    const cwd = await temporaryFolder({
      'echo.yaml': `name: echo
call: { command: cat }
passCriteria: [result.a > 0]
cases:
  - { name: one, input: { a: 1 } }
  - { name: two, input: { a: 2 }, expected: 3, passCriteria: [result.a === expected] }
`,
    });
    const failed = (await trialsOf(cwd, 'echo.yaml')).find(({ outcome }) => outcome === 'fail');
    const { data } = await promote(cwd, 'latest');
    expect(data.source).toMatchObject({ trial: failed?.trialId });
    await assayInProcess(['run', 'echo.yaml', '--repeat', '2'], { cwd });
    const several = await promote(cwd, 'latest');
    expect([several.exitCode, several.stderr]).toEqual([2, expect.stringMatching(/Several trials of r-\S+ failed/)]);
    expect(data).toMatchObject({
      call: { command: 'cat' },
      passCriteria: ['result.a > 0'],
      cases: [{ name: 'two', input: { a: 2 }, expected: 3, passCriteria: ['result.a === expected'] }],
    });
  });

  it('keeps the faults of the trial, and no others; asserting tools that were not called is refused', async () => {
    const faults = 'faults: { slow: [{ fault: latency, ms: 1 }], broken: [{ fault: error, message: Locked }] }';
    const cwd = await temporaryFolder({
      'echo.yaml': `name: echo\ncall: { command: cat }\ninput: { a: 1 }\npassCriteria: [result.a === 1]\n${faults}\n`,
    });
    const failed = (await trialsOf(cwd, 'echo.yaml')).find(({ outcome }) => outcome === 'fail');
    const refused = await promote(cwd, failed?.trialId ?? '', ['--assert-tools']);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('There is no call of a tool')]);
    const { data, file } = await promote(cwd, failed?.trialId ?? '');
    expect(data.faults).toEqual([{ fault: 'error', message: 'Locked' }]);
    expect((await trialsOf(cwd, file)).map(({ outcome }) => outcome)).toEqual(['fail']);
  });

  it('of a suite becomes one with the tests that failed', async () => {
    const tests = [
      { name: 'add', args: { a: 1, b: 2 }, expectedResult: 3 },
      { name: 'add', args: { a: 2, b: 2 }, expectedResult: 5 },
    ];
    // The name of the other suite begins that of the one that failed.
    const suites = [
      { name: 'Su', tests: tests.slice(0, 1) },
      { name: 'Sums', tests },
    ];
    const cwd = await mcpProject({ 'suite.json': { server, toolHealthSuites: suites } });
    const trial = (await trialsOf(cwd, 'suite.json')).find(({ outcome }) => outcome === 'fail');
    const { data } = await promote(cwd, trial?.trialId ?? '');
    expect(data).toMatchObject({ server, toolHealthSuites: [{ tests: [tests[1]] }], tags: ['promoted'] });
    expect((data.toolHealthSuites as { tests: [] }[])[0]?.tests).toHaveLength(1);
  });
});

const chat = (content: string, reward: number) => ({
  task_id: 3,
  reward,
  trial: 0,
  traj: [
    { role: 'system', content: 'You sell tickets.' },
    { role: 'user', content },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'cancel', arguments: '{"ticket":"T1"}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'done' },
    { role: 'assistant', content: 'Cancelled.' },
    { role: 'user', content: 'Thanks' },
  ],
  info: {},
});

describe('a trace in a file', () => {
  it('becomes a conversation with its messages, its failure as criterion and its file as source', async () => {
    const cwd = await temporaryFolder({
      'traces/airline.json': JSON.stringify([chat('Change my ticket', 0), chat('x', 1)]),
    });
    const several = await promote(cwd, 'traces/airline.json');
    expect([several.exitCode, several.stderr]).toEqual([2, expect.stringContaining('has 2 trials')]);
    const { data, stderr } = await promote(cwd, 'traces/airline.json', [
      '--trial',
      '1',
      '--connector',
      'http://127.0.0.1:9/chat',
    ]);
    expect(stderr).toBe('');
    expect(data).toMatchObject({
      source: { trace: 'traces/airline.json#1' },
      connector: 'http://127.0.0.1:9/chat',
      messages: [{ role: 'system', content: 'You sell tickets.' }],
      userMessages: ['Change my ticket', 'Thanks'],
      failureCriteria: [expect.stringContaining('The same failure happened again: ')],
    });
  });

  it('is refused with the reason, and nothing is written', async () => {
    const cwd = await temporaryFolder({
      'passed.json': JSON.stringify([{ ...chat('x', 1), traj: [{ role: 'user', content: 'x' }] }]),
      'empty.json': '',
      'noise.json': '{"a": 1}',
    });
    const refused = async (...args: string[]): Promise<string> => {
      const [subject = '', ...rest] = args;
      const { exitCode, stderr } = await promote(cwd, subject, rest);
      expect(exitCode).toBe(2);
      return stderr;
    };
    expect(await refused('passed.json')).toContain('has no connector to the agent');
    expect(await refused('passed.json', '--connector', 'http://127.0.0.1:9/')).toContain(
      'Nothing would judge the case',
    );
    expect(await refused('passed.json', '--trial', '4')).toContain('has 1 trial, not 4');
    expect(await refused('empty.json')).toContain('the file is empty');
    expect(await refused('noise.json')).toContain('unknown format');
    expect(await refused('t-unknown')).toContain('There is no trial "t-unknown"');
    expect(await refused('')).toContain('must not be empty');
    const fixed = ['--connector', 'http://127.0.0.1:9/', '--criterion', 'It is rude'];
    expect(await refused('passed.json', ...fixed, '-o', '../outside.yaml')).toContain('outside the project');
    expect(await refused('passed.json', ...fixed, '-o', 'case.txt')).toContain('not the name of a YAML file');
    expect((await promote(cwd, 'passed.json', [...fixed, '-o', 'case.yaml'])).exitCode).toBe(0);
    expect(await refused('passed.json', ...fixed, '-o', 'case.yaml')).toContain('exists already');
    const files = (await readdir(cwd)).filter((name) => !name.startsWith('.'));
    expect(files.sort()).toEqual(['case.yaml', 'empty.json', 'noise.json', 'passed.json']);
  });
});

describe('the server', () => {
  it('writes the case of a trial, which the editor opens', async () => {
    const cwd = await temporaryFolder({
      'assay.config.yaml': 'scenarios: [scenarios]\n',
      'scenarios/echo.yaml': 'name: echo\ncall: { command: cat }\ninput: { a: 1 }\npassCriteria: [result.a === 2]\n',
    });
    const [trial] = await trialsOf(cwd);
    const { request } = await serving(cwd);
    const post = (body: object) =>
      request(`/api/trials/${trial?.trialId}/promote`, { method: 'POST', body: JSON.stringify(body) });
    const made = await post({});
    expect(made.status).toBe(201);
    const { file } = (await made.json()) as { file: string };
    expect(existsSync(join(cwd, file))).toBe(true);
    expect(await (await request(`/api/files/${file}`)).json()).toMatchObject({ isEditable: true, problems: [] });
    expect((await post({})).status).toBeGreaterThanOrEqual(400);
    expect((await post({ output: '../x.yaml' })).status).toBe(400);
  });
});

describe('the editor', () => {
  it('is opened with the new file', async () => {
    const cwd = await temporaryFolder({
      'copies/.keep': '',
      'echo.yaml': 'name: echo\ncall: { command: cat }\ninput: { a: 1 }\npassCriteria: [result.a === 2]\n',
    });
    const [trial] = await trialsOf(cwd, 'echo.yaml');
    const subject = trial?.trialId ?? '';
    const opened = await promote(cwd, subject, ['--edit'], { VISUAL: `cp -t "${cwd}/copies"`, EDITOR: 'false' });
    expect(await readdir(join(cwd, 'copies'))).toEqual(['.keep', opened.file]);
    const failed = await promote(cwd, subject, ['--edit', '-o', 'other.yaml'], { VISUAL: '', EDITOR: 'false' });
    expect([failed.exitCode, failed.stderr]).toEqual([2, expect.stringContaining('ended with exit code 1')]);
    const unset = await promote(cwd, subject, ['--edit', '-o', 'third.yaml'], { VISUAL: '', EDITOR: '' });
    expect([unset.exitCode, unset.stderr]).toEqual([2, expect.stringContaining('no editor is set')]);
    expect(existsSync(join(cwd, 'third.yaml'))).toBe(true);
  });
});
