import { once } from 'node:events';
import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandEnvironment, ended, startAssay } from '../../src/testing/support/assay.ts';
import { assayInProcess, runInProcess } from '../../src/testing/support/assay-in-process.ts';
import { answerText, criteriaReply, judgedScenario, runJudged } from '../../src/testing/support/judged-project.ts';
import { Screen } from '../../src/testing/support/screen.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const server = fileURLToPath(new URL('../../src/mcp-check/fixtures/checked-server.mjs', import.meta.url));
const longName = 'Search all orders of a customer whose name is unusually long';

/** Runs a command on a terminal of some width; standard output and standard error are one, as people see them. */
async function onTerminal(columns: number, args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const screen = new Screen(columns);
  const stdin = new PassThrough();
  stdin.end();
  const surroundings = { cwd, env: commandEnvironment({ cwd, env }), stdin, stdout: screen, stderr: screen };
  const exitCode = await runInProcess(args, surroundings);
  // Only addresses are longer than a line: they stay whole, to be copied.
  return { exitCode, text: screen.text, broken: screen.broken.filter((line) => !line.includes('https://')) };
}

let cwd: string;
let tool: string;
const shared: string[] = [];

async function sharedFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'assay-terminal-')));
  shared.push(folder);
  await writeFiles(folder, files);
  return folder;
}

afterAll(async () => {
  for (const folder of shared) await rm(folder, { recursive: true, force: true });
});

beforeAll(async () => {
  cwd = await sharedFolder({
    'orders.yaml': `name: ${longName}
call: { module: ./orders.mjs, export: orders }
cases:
  - { name: finds both orders of Ada, input: { customer: ada }, passCriteria: [result.count === 2] }
  - { name: throws, input: { customer: bob }, passCriteria: [result.count === 2] }
`,
    'orders.mjs':
      "export const orders = ({ customer }) => { if (customer === 'bob') throw new Error('no customer bob'); return { count: 2 }; };\n",
  });
  // By a short name, so that no width depends on where this checkout lies.
  await symlink(server, join(cwd, 'server.mjs'));
  await assayInProcess(['run', '--repeat', '2'], { cwd });
  await assayInProcess(['run', '--repeat', '2'], { cwd });
  tool = await sharedFolder({});
  await assayInProcess(['init', '.', '--kind', 'cli-tool'], { cwd: tool });
  await assayInProcess(['run', '--quiet'], { cwd: tool });
});

describe.each([60, 80, 200])('a terminal of %i columns', (columns) => {
  it.each([
    ['run', () => cwd, ['run']],
    ['show of a run', () => cwd, ['show', 'latest~1']],
    ['show of a run with agents', () => tool, ['show', 'latest']],
    ['show of a failure', () => cwd, ['show']],
    ['compare', () => cwd, ['compare', 'latest~1', 'latest']],
    ['compare of variants', () => tool, ['compare', 'latest', '--by', 'guidance']],
    ['runs', () => cwd, ['runs']],
    ['agents', () => cwd, ['agents']],
    ['help', () => cwd, ['--help']],
    [
      'mcp-check',
      () => cwd,
      ['mcp-check', '--calls', '1', '--fail-on', 'never', '--', 'node', 'server.mjs', 'wrong-output'],
    ],
  ])('fits %s', async (_name, folder, args) => {
    const { text, broken } = await onTerminal(columns, args, folder());
    expect(text.trim()).not.toBe('');
    expect(broken).toEqual([]);
  });
});

describe('the last failure', () => {
  it('is shown without arguments, with the thrown error beside the criterion and numbered events', async () => {
    const { exitCode, stdout } = await assayInProcess(['show'], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`FAIL ${longName} › throws`);
    expect(stdout).toContain('no customer bob');
    expect(stdout).toMatch(/✗ result\.count === 2\n {6}\S/);
    expect(stdout).toMatch(/\n {2}e1 +\d+\.\d ms call: orders/);
  });

  it('may be of an earlier run, and is the newest run where nothing failed', async () => {
    const files = (count: number) => `export const one = () => ${count};\n`;
    const scenario = 'name: one\ncall: { module: ./one.mjs, export: one }\ninput: {}\npassCriteria: [result === 1]\n';
    const folder = await temporaryFolder({ 'one.yaml': scenario, 'one.mjs': files(1) });
    await assayInProcess(['run'], { cwd: folder });
    const passed = await assayInProcess(['show'], { cwd: folder });
    expect(passed.stderr).toContain('Nothing failed in the newest run.');
    expect(passed.stdout).toContain('1 passed');
    await writeFile(join(folder, 'one.yaml'), scenario.replace('result === 1', 'result === 2'));
    await assayInProcess(['run'], { cwd: folder });
    await writeFile(join(folder, 'one.yaml'), scenario);
    await assayInProcess(['run'], { cwd: folder });
    const failed = await assayInProcess(['show'], { cwd: folder });
    expect(failed.stderr).toMatch(/^ {2}Nothing failed in r-\S+; this is from r-\S+\.\n/);
    expect(failed.stdout).toContain('FAIL one');
  });
});

describe('evidence of a failure', () => {
  const dim = '\u001B[2m';

  it('is not dim: the explanation of a criterion', async () => {
    const { stdout } = await assayInProcess(['show', 'latest'], { cwd, env: { FORCE_COLOR: '1' } });
    const line = stdout.split('\n').find((each) => each.includes('result.count'));
    const next = stdout.split('\n')[stdout.split('\n').indexOf(line ?? '') + 1] ?? '';
    expect(line).toContain('✗');
    expect(next.trim()).not.toBe('');
    expect(next).not.toContain(dim);
  });

  it('has the quote of the judge and its event', async () => {
    const judge = { model: 'openai/gpt-4o-mini', successCriteria: 'The answer names Lyon' };
    const { folder } = await runJudged({
      scenario: judgedScenario(judge),
      rules: [{ reply: { json: criteriaReply('not-met') } }],
    });
    const { stdout } = await assayInProcess(['show', 'latest'], { cwd: folder });
    expect(stdout).toContain(`“${answerText}” (event e2)`);
  });
});

describe('colours', () => {
  it('follow FORCE_COLOR where there is no terminal, and NO_COLOR before it', async () => {
    const printed = async (env: Record<string, string>) => (await assayInProcess(['runs'], { cwd, env })).stdout;
    expect(await printed({})).not.toContain('\u001B[');
    expect(await printed({ FORCE_COLOR: '1' })).toContain('\u001B[');
    expect(await printed({ FORCE_COLOR: '0' })).not.toContain('\u001B[');
    expect(await printed({ FORCE_COLOR: '1', NO_COLOR: '1' })).not.toContain('\u001B[');
  });
});

describe('reports that go into files', () => {
  it('leave totals and the id of the run on standard error', async () => {
    const { stdout, stderr } = await assayInProcess(['run', '--reporter', 'junit,html', '-o', 'out'], { cwd });
    expect(stdout).toBe('');
    expect(stderr).toMatch(/2 trials: 1 passed, 1 failed[\s\S]*\n {2}run r-\S+\n/);
    const json = await assayInProcess(['run', '--json'], { cwd });
    expect(json.stderr).not.toContain('2 trials:');
  });
});

describe('assay --help', () => {
  it('groups the commands', async () => {
    const { stdout } = await assayInProcess(['--help'], { cwd });
    const titles = [...stdout.matchAll(/^(\S.*):$/gm)].map(([, title]) => title);
    expect(titles).toEqual(['Everyday', 'Compare and improve', 'Recorded results', 'Servers and machines', 'Options']);
  });
});

describe('completion', () => {
  /** Completes the last word in a real shell, with a program that lists these runs. */
  async function completed(words: readonly string[]): Promise<string[]> {
    const { stdout: script } = await assayInProcess(['completion', 'bash'], { cwd });
    const ask = `${script}
assay() { echo '    "runId": "r-20260101-000000-abcdef",'; }
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_assay; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { spawn } = await import('node:child_process');
    const { stdout } = await ended(spawn('bash', ['-c', ask], { cwd }));
    return stdout.trim().split('\n').sort();
  }

  it.each([
    [['assay', 'init', '--kind', 'cli'], ['cli-tool']],
    [['assay', 'run', '--reporter', 'junit,ht'], ['junit,html']],
    [['assay', 'run', '-r', 'mark'], ['markdown']],
    [['assay', 'schema', 'conf'], ['config']],
    [['assay', 'show', 'r-'], ['r-20260101-000000-abcdef']],
    [
      ['assay', 'run', '--from', 'latest~'],
      ['latest~1', 'latest~2'],
    ],
    [
      ['assay', 'compare', 'latest', 'lat'],
      ['latest', 'latest~1', 'latest~2'],
    ],
    [['assay', 'run', '--wat'], ['--watch']],
    [
      ['assay', 'run', 'ord'],
      ['orders.mjs', 'orders.yaml'],
    ],
  ])('knows the values of %j', async (words, expected) => {
    expect(await completed(words)).toEqual(expected);
  });
});

describe('assay run --watch', () => {
  it('runs again when a file is saved, and ends with Ctrl-C', async () => {
    const scenario = 'name: one\ncall: { module: ./one.mjs, export: one }\ninput: {}\npassCriteria: [result === 2]\n';
    const folder = await temporaryFolder({ 'one.yaml': scenario, 'one.mjs': 'export const one = () => 1;\n' });
    const child = startAssay(['run', '--watch'], { cwd: folder });
    const end = ended(child);
    let printed = '';
    const until = async (pattern: RegExp): Promise<void> => {
      while (!pattern.test(printed)) {
        const [chunk] = await Promise.race([once(child.stderr as NodeJS.ReadableStream, 'data'), failedEnd()]);
        printed += String(chunk);
      }
    };
    const failedEnd = async (): Promise<never> => {
      await end;
      throw new Error(`It ended: ${printed}`);
    };
    await until(/Exit code 1\. Watching 1 folder: save a file to run again, Ctrl-C to end\./);
    await writeFile(join(folder, 'one.mjs'), 'export const one = () => 2;\n');
    await until(/one\.mjs changed\.[\s\S]*Exit code 0\. Watching/);
    child.kill('SIGINT');
    const { exitCode, stdout } = await end;
    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/1 failed[\s\S]*1 passed/);
  });

  it('is refused with what begins no new run', async () => {
    const { exitCode, stderr } = await assayInProcess(['run', '--watch', '--resume', 'latest'], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--watch cannot be combined with --resume.');
  });
});
