import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { assay, type CommandResult, commandEnvironment, ended, programPath } from '../../src/testing/support/assay.ts';
import {
  assayWithFault,
  canInjectFaults,
  countCalls,
  type InjectedFault,
  spread,
  startWithFault,
} from '../../src/testing/support/injected-faults.ts';
import { serving } from '../../src/testing/support/serving.ts';
import { startWithSmallFiles } from '../../src/testing/support/small-files.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const cases = 300;
/** Every report of all cases is larger than a small file. */
const longName = 'long '.repeat(50);

/** Two runs that can be compared, of which the second is worse. */
async function project(): Promise<string> {
  const rows = Array.from({ length: cases }, (_, row) =>
    JSON.stringify({ id: `row-${row} ${longName}`, input: { a: row } }),
  );
  const folder = await temporaryFolder({
    'tool.mjs': `export const twice = ({ a }) => ({ double: a < Number(process.env.WRONG_BELOW ?? 0) ? -1 : 2 * a, text: 'x'.repeat(300) });`,
    'rows.jsonl': rows.join('\n'),
    'twice.yaml': [
      'name: twice',
      'call: { module: ./tool.mjs, export: twice }',
      'dataset: rows.jsonl',
      'passCriteria: [result.double >= 0]',
    ].join('\n'),
  });
  for (const below of ['3', '90'])
    expect((await assay(['run', '--json'], { cwd: folder, env: { WRONG_BELOW: below } })).exitCode).toBe(1);
  return folder;
}

const formats = ['json', 'csv', 'junit', 'markdown', 'html'];

const commands: Readonly<Record<string, readonly string[]>> = {
  compare: ['compare', 'latest~1', 'latest', '--json'],
  'compare as text': ['compare', 'latest~1', 'latest'],
  report: ['report', 'latest', '--format', formats.join(','), '--output', 'out'],
  'report on stdout': ['report', 'latest', '--format', 'json', '--output', '-'],
};

const store = (folder: string): string => join(folder, '.assay', 'assay.db');

/** Damage to a store between two commands. */
const damages: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  'is not a database': (folder) => writeFile(store(folder), Buffer.alloc(100_000, 'not a database ')),
  'was cut in half': (folder) => truncate(store(folder), 60_000),
  'is a folder': async (folder) => {
    await rm(store(folder));
    await mkdir(store(folder));
  },
  'lacks the trials': (folder) => change(folder, 'drop table trials'),
  'lost the trials of the run': (folder) => change(folder, "delete from trials where outcome = 'fail'"),
  'has another verdict': (folder) => change(folder, "update trials set outcome = 'pass' where outcome = 'fail'"),
  'has other counts': (folder) => change(folder, 'update trial_counts set trials = trials + 1'),
  'has pages of zeros': async (folder) => {
    const bytes = await readFile(store(folder));
    await writeFile(store(folder), bytes.fill(0, Math.floor(bytes.length / 3), Math.floor((bytes.length * 2) / 3)));
  },
  'is gone': (folder) => rm(store(folder)),
};

async function change(folder: string, statement: string): Promise<void> {
  const database = new DatabaseSync(store(folder));
  database.exec(statement);
  database.close();
}

describe('a command whose store', () => {
  it.each(Object.keys(damages))(
    '%s gives what it gave, or an error with a hint',
    { timeout: 300_000 },
    async (damage) => {
      const template = await project();
      for (const [name, args] of Object.entries(commands)) {
        const wanted = await outcomeIn(await copyOf(template), args);
        expect(wanted, name).toMatchObject({ exitCode: 0, stderr: '' });
        const folder = await copyOf(template);
        await damages[damage]?.(folder);
        const found = await outcomeIn(folder, args);
        if (found.exitCode !== 0) expectRefused(found, wanted, `${name}: the store ${damage}`);
        else expect(found, `${name}: the store ${damage}`).toEqual(wanted);
      }
    },
  );

  it.skipIf(!canInjectFaults).each(Object.keys(commands))(
    'cannot be read at some place gives what it gave, or an error: %s',
    { timeout: 600_000 },
    async (name) => {
      const args = commands[name] ?? [];
      const template = await project();
      const wanted = await outcomeIn(await copyOf(template), args);
      let refused = 0;
      for (const fault of await readingFaults(template, args)) {
        const folder = await copyOf(template);
        const label = `${name}: ${fault.error} in ${fault.call} no. ${fault.nth}`;
        const found = await outcomeIn(folder, args, assayWithFault(folder, args, fault));
        if (found.exitCode === 0) {
          expect(found, label).toEqual(wanted);
        } else {
          expectRefused(found, wanted, label);
          refused++;
        }
      }
      expect(refused).toBeGreaterThan(3);
    },
  );
});

describe('a command whose output', () => {
  it.skipIf(process.platform !== 'linux').each(Object.keys(commands).filter((name) => name !== 'report'))(
    'is full, or a document that is not read, ends with an error that names it: %s',
    { timeout: 120_000 },
    async (name) => {
      const cwd = await project();
      const args = commands[name] ?? [];
      const full = openSync('/dev/full', 'w');
      const onFull = await ended(started(args, cwd, full));
      closeSync(full);
      expect(onFull).toMatchObject({ exitCode: 3, stderr: expect.stringMatching(/could not be written.*\n {2}\S/) });
      // A reader of text may have read enough.
      if (name === 'compare as text') return;
      const unread = started(args, cwd, 'pipe');
      unread.stdout?.destroy();
      expect(await ended(unread)).toMatchObject({
        exitCode: 3,
        stderr: expect.stringMatching(/could not be written.*\n {2}\S/),
      });
    },
  );

  it.each(formats)('cannot be written leaves nothing of a report: %s', { timeout: 120_000 }, async (format) => {
    const cwd = await project();
    const report = (output: string) => ['report', 'latest', '--format', format, '--output', output];
    // A file that may not grow stands for a disk that is full.
    const full = await ended(startWithSmallFiles(64)(report('full'), { cwd }));
    const below = await assay(report('rows.jsonl/below'), { cwd });
    for (const { exitCode, stderr } of [full, below])
      expect([exitCode, stderr]).toEqual([
        3,
        expect.stringMatching(new RegExp(`${format} report could not be written`)),
      ]);
    expect(await filesIn(cwd, 'full')).toEqual({});
  });
});

const routes = (runs: readonly string[]): string[] => [
  '/api/runs',
  `/api/runs/${runs[0]}`,
  `/api/runs/${runs[0]}/trials`,
  `/api/runs/${runs[0]}/breakdown`,
  `/api/runs/${runs[0]}/report/json`,
  `/api/compare?a=${runs[1]}&b=${runs[0]}`,
  '/api/dashboard',
];

/** Each changes the file of a server that has it open. */
const suddenDamages: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  'is moved away': (folder) => rename(store(folder), join(folder, 'moved.db')),
  'is replaced': async (folder) => {
    await rename(store(folder), join(folder, 'moved.db'));
    await writeFile(store(folder), '');
  },
};

describe('a server whose store', () => {
  it.each(Object.keys(suddenDamages))('%s answers 503 with the error, and lives on', async (damage) => {
    const cwd = await project();
    const { request, child } = await serving(cwd);
    const paths = routes(await runIdsOf(request));
    for (const path of paths) expect((await request(path)).status, path).toBe(200);
    await suddenDamages[damage]?.(cwd);
    for (const path of paths) await expectUnavailable(await request(path), path);
    await expectAlive(request, child);
  });

  it.skipIf(!canInjectFaults).each([1, 4, 12, 30])(
    'cannot be read from place %i on answers as it did or 503, and lives on',
    async (nth) => {
      const cwd = await project();
      const first = await serving(cwd);
      const paths = routes(await runIdsOf(first.request));
      const good = new Map<string, string>();
      for (const path of paths) good.set(path, await (await first.request(path)).text());
      first.child.kill('SIGINT');
      await ended(first.child);
      const fault: InjectedFault = { call: 'pread64', nth: `${20 + nth}+`, error: 'EIO' };
      const { request, child } = await serving(cwd, {}, [], startWithFault(fault));
      for (const path of paths) {
        const answer = await request(path);
        if (answer.status !== 200) await expectUnavailable(answer, path);
        // An answer that breaks off is not taken for a whole one.
        else expect([good.get(path), 'broken off'], path).toContain(await answer.text().catch(() => 'broken off'));
      }
      await expectAlive(request, child);
    },
  );
});

async function expectUnavailable(answer: Response, path: string): Promise<void> {
  const document = await answer.json();
  expect([answer.status, document], path).toEqual([
    503,
    { error: expect.any(String), code: 'STORE_UNAVAILABLE', hint: expect.any(String) },
  ]);
}

type Server = Awaited<ReturnType<typeof serving>>;

async function expectAlive(request: Server['request'], child: Server['child']): Promise<void> {
  expect((await request('/api/evaluator-types')).status).toBe(200);
  const end = ended(child);
  child.kill('SIGINT');
  expect(await end).toMatchObject({ exitCode: 0, signal: null });
}

/** The newest first. */
async function runIdsOf(request: Server['request']): Promise<string[]> {
  const { items } = (await (await request('/api/runs')).json()) as { items: { runId: string }[] };
  return items.map(({ runId }) => runId);
}

interface Outcome extends Pick<CommandResult, 'exitCode' | 'stdout' | 'stderr'> {
  readonly files: Readonly<Record<string, string>>;
}

async function outcomeIn(
  folder: string,
  args: readonly string[],
  running = assay(args, { cwd: folder }),
): Promise<Outcome> {
  const { exitCode, stdout, stderr } = await running;
  const hidden = (text: string) => text.replaceAll(folder, '<folder>');
  return { exitCode, stdout: hidden(stdout), stderr: hidden(stderr), files: await filesIn(folder) };
}

/** An error that says what to do; what was written before is the same as without the fault, and a file is whole. */
function expectRefused({ exitCode, stdout, stderr, files }: Outcome, wanted: Outcome, label: string): void {
  expect([2, 3], `${label}: ${stdout.slice(0, 300)}${stderr}`).toContain(exitCode);
  const lines = wanted.stdout.split('\n');
  const isSame = wanted.stdout.startsWith(stdout) || stdout.split('\n').every((line) => lines.includes(line));
  expect(isSame, `${label}: ${stdout.slice(0, 300)}`).toBe(true);
  expect(stderr, label).toMatch(/error: [^\n]+\n +\S/i);
  expect(stderr, label).not.toContain('defect of Assay');
  if (exitCode === 2) expect(stderr, label).toContain('stored');
  for (const [name, text] of Object.entries(files)) expect(text === wanted.files[name], `${label}: ${name}`).toBe(true);
}

async function readingFaults(template: string, args: readonly string[]): Promise<InjectedFault[]> {
  const counts = await countCalls(await copyOf(template), args);
  return (['pread64', 'openat'] as const).flatMap((call) =>
    spread(counts.get(call) ?? 0, 8).map((nth): InjectedFault => ({ call, nth: `${nth}+`, error: 'EIO' })),
  );
}

/** The files of a folder with their contents. */
async function filesIn(folder: string, output = 'out'): Promise<Record<string, string>> {
  const names = await readdir(join(folder, output)).catch(() => []);
  const contents = names.map(async (name) => [name, await readFile(join(folder, output, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(contents));
}

function started(args: readonly string[], cwd: string, stdout: number | 'pipe') {
  return spawn(process.execPath, [programPath, ...args], {
    cwd,
    env: commandEnvironment({ cwd }),
    stdio: ['ignore', stdout, 'pipe'],
  });
}

async function copyOf(template: string): Promise<string> {
  const folder = await temporaryFolder();
  await cp(template, folder, { recursive: true });
  return folder;
}
