import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type CommandResult, ended } from './assay.ts';
import { copyPackage } from './copied-package.ts';
import { packageRoot } from './plugin-project.ts';

const fixture = join(packageRoot, 'test', 'fixtures', 'vitest-project');

/** Result of a test from Vitest. */
interface VitestTest {
  readonly fullName: string;
  readonly status: 'passed' | 'failed' | 'skipped' | 'pending';
  readonly failureMessages: readonly string[];
  readonly meta: Readonly<Record<string, unknown>>;
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly VitestTest[];
  }[];
}

/** Results of a run of Vitest, by file name without its ending. */
export interface VitestRun extends CommandResult {
  readonly files: Readonly<Record<string, readonly VitestTest[]>>;
}

/** The fixture project in its own folder, with the built package installed as npm does it; the test removes it. */
export async function vitestProject(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'assay-vitest-')));
  await cp(fixture, folder, { recursive: true });
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.spec.ts'))) {
    const text = await readFile(join(folder, name), 'utf8');
    await writeFile(join(folder, name), text.replace("'../../../src/entry/vitest/index.ts'", "'assay/vitest'"));
  }
  await copyPackage(join(folder, 'node_modules', 'assay'));
  await mkdir(join(folder, 'node_modules', '@photostructure'));
  for (const name of ['zod', 'jiti', '@photostructure/sqlite', 'vitest']) {
    await symlink(join(packageRoot, 'node_modules', name), join(folder, 'node_modules', name));
  }
  return folder;
}

interface RunOptions {
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Runs Vitest in a project as a user would. */
export async function runVitest(cwd: string, { args = [], env }: RunOptions): Promise<VitestRun> {
  const runner = join(packageRoot, 'node_modules', 'vitest', 'vitest.mjs');
  const inherited = Object.entries(process.env).filter(([name]) => !/VITEST|_API_KEY$|_BASE_URL$/.test(name));
  const reports = ['--reporter=default', '--reporter=json', '--outputFile.json=report.json'];
  const child = spawn(process.execPath, [runner, 'run', ...reports, ...args], {
    cwd,
    env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...env },
  });
  const result = await ended(child);
  const { testResults } = JSON.parse(await readFile(join(cwd, 'report.json'), 'utf8')) as VitestReport;
  const files = testResults.map(({ name, assertionResults }) => [
    basename(name).replace(/\..*$/, ''),
    assertionResults,
  ]);
  return { ...result, files: Object.fromEntries(files) };
}
