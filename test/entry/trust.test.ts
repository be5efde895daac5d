import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shownCommands } from '../../src/entry/cli/commands/index.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const mark = (name: string): string =>
  `import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('./ran-${name}', import.meta.url), '');\n`;
const scenario = 'name: One\ncall: { module: ./tool.mjs, export: answer }\ninput: {}\npassCriteria: [result === 1]\n';
const tool = 'export const answer = () => 1;\n';

/** A stranger's project: each part of it says when it was run. */
const strangers = {
  module: { 'assay.config.mjs': `${mark('config')}export default {};\n`, 'scenarios/one.yaml': scenario },
  plugin: { 'assay.config.yaml': 'plugins: [./plugin.mjs]\n', 'plugin.mjs': `${mark('plugin')}export default [];\n` },
  agent: {
    'assay.config.yaml': 'agents: { own: { kind: command, command: "node ./agent.mjs" } }\n',
    'agent.mjs': mark('agent'),
  },
  code: { 'scenarios/one.scenario.mjs': `${mark('scenario')}export default { name: 'x' };\n` },
};

/** Arguments with which each command that only reads is called. */
const reading: Readonly<Record<string, readonly string[]>> = {
  validate: [],
  'list scenarios': [],
  'list agents': [],
  'list models': [],
  'list evaluators': [],
  show: ['latest'],
  runs: [],
  report: ['latest', '--format', 'markdown'],
  project: ['list', 'scenarios'],
  compare: ['r-1', 'r-2'],
  diff: ['r-1', 'r-2'],
  baseline: ['check', 'latest'],
  'experiment plan': ['latest'],
  import: ['results.json'],
  'score judge': ['results.json'],
  'cases promote': ['t-1'],
  export: ['latest'],
  'queue list': [],
  'queue watch': ['r-1'],
  'queue control': ['r-1', 'pause'],
  'queue cancel': ['r-1'],
  store: ['check'],
  'store clean': ['--dry-run'],
  doctor: [],
  token: ['list'],
  schema: ['config'],
  completion: ['bash'],
  trust: ['--remove'],
};

let state: string;

beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'assay-state-'));
});
afterEach(() => rm(state, { recursive: true, force: true }));

const assay = (args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) =>
  assayInProcess(args, { cwd, env: { XDG_STATE_HOME: state, ...env } });

async function ranIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => /(?:^|\/)ran-/.test(name));
}

describe('a project of a stranger', () => {
  it('is read by the commands of the table', () => {
    const onlyReading = shownCommands.filter(({ runs }) => runs !== true).map(({ name }) => name);
    expect(Object.keys(reading).sort()).toEqual(onlyReading.sort());
  });

  it.each(Object.keys(strangers) as (keyof typeof strangers)[])('runs nothing of its %s', async (part) => {
    const folder = await temporaryFolder({ 'tool.mjs': tool, 'results.json': '{}', ...strangers[part] });
    const answers = new Map<string, string>();
    for (const [name, args] of Object.entries(reading)) {
      const { stdout, stderr } = await assay([...name.split(' '), ...args], folder);
      answers.set(name, `${stdout}${stderr}`);
      expect({ name, ran: await ranIn(folder) }).toEqual({ name, ran: [] });
    }
    const named = part === 'agent' ? 'list agents' : part === 'code' ? 'validate' : 'runs';
    expect(answers.get(named)).toMatch(/neither run nor trusted/);
    expect(existsSync(join(state, 'assay'))).toBe(false);
  });

  it('is trusted once it was run, with the project and not with its neighbour', async () => {
    const [folder, other] = [
      await temporaryFolder({ ...strangers.module, 'scenarios/tool.mjs': tool }),
      await temporaryFolder(strangers.module),
    ];
    expect((await assay(['runs'], folder)).exitCode).toBe(2);
    expect((await assay(['run', '--quiet'], folder)).exitCode).toBe(0);
    expect((await assay(['runs'], folder)).exitCode).toBe(0);
    expect((await assay(['runs'], join(folder, 'scenarios'))).exitCode).toBe(0);
    expect((await assay(['runs'], other)).exitCode).toBe(2);
    expect((await assay(['trust', '--remove'], folder)).stdout).toContain('no longer trusted');
    expect((await assay(['runs'], folder)).exitCode).toBe(2);
    expect((await assay(['trust'], folder)).stdout).toContain('may run');
    expect((await assay(['runs'], folder)).exitCode).toBe(0);
    expect((await stat(join(state, 'assay', 'trusted-projects'))).mode & 0o777).toBe(0o700);
  });

  it.each([
    [
      'a provider of the config',
      {
        'assay.config.yaml': 'models: { providers: { openai: { baseUrl: "http://models.example.com/v1" } } }\n',
        'one.yaml': `${scenario}judge: { model: openai/gpt-4o-mini, successCriteria: It is one }\n`,
      },
    ],
    [
      'a connector of a scenario',
      {
        'one.yaml':
          'name: One\nconnector: { type: openai-chat, baseUrl: "http://models.example.com/v1", config: { model: m } }\nuserMessages: [Hello]\nevaluators: [{ type: contains, config: { text: a } }]\n',
      },
    ],
  ])('gets no key for %s before its user agreed', async (_what, files) => {
    const folder = await temporaryFolder({ ...files, 'tool.mjs': tool });
    const received: string[] = [];
    const proxy = createServer((request, response) => {
      received.push(`${request.url} ${request.headers.authorization}`);
      response.writeHead(500).end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const env = { HTTP_PROXY, NO_PROXY: '', OPENAI_API_KEY: 'key-of-the-user' };
    const refused = await assay(['run', 'one.yaml', '--json'], folder, env);
    expect(`${refused.stdout}${refused.stderr}`).toContain('sends OPENAI_API_KEY to http://models.example.com');
    expect({ exitCode: refused.exitCode, received }).toEqual({ exitCode: 2, received: [] });
    await assay(['trust', 'http://models.example.com/v1'], folder, env);
    await assay(['run', 'one.yaml', '--json'], folder, env);
    expect(received[0]).toBe('http://models.example.com/v1/chat/completions Bearer key-of-the-user');
    await new Promise((resolve) => proxy.close(resolve));
  });
});
