import { spawn } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended } from '../../src/testing/support/assay.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { CommandServer } from '../../src/testing/support/command-server.ts';
import {
  assertParses,
  commandProblems,
  completed,
  criteriaScenario,
  inlineCommands,
  isPrinted,
  isScenario,
  type KnownNames,
  knownNames,
} from '../../src/testing/support/docs-checks.ts';
import { DocsShell, installedPackages, type ShellResult } from '../../src/testing/support/docs-shell.ts';
import { checkout, pagesWithSamples, type Sample, samplesOf } from '../../src/testing/support/markdown-samples.ts';
import { repeatsInFull } from '../../src/testing/support/repetitions.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const pages = await pagesWithSamples();
const samples = new Map(await Promise.all(pages.map(async (page) => [page, await samplesOf(page)] as const)));
let known: KnownNames;
let packages: string;
let commands: CommandServer;

beforeAll(async () => {
  known = await knownNames();
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'assay-packages-'));
  packages = await installedPackages(folder);
  commands = await CommandServer.open(folder);
});

afterAll(async () => {
  await commands[Symbol.asyncDispose]();
  await rm(dirname(packages), { recursive: true, force: true });
});

/** Why a sample may be left unrun here; anything else has to run. */
const acceptedReasons = [
  'needs an API key',
  'needs a coding agent',
  'needs a Postgres',
  'needs Docker',
  'needs GitHub Actions',
  'needs GitLab',
  'needs a browser',
  'needs the network',
  'takes minutes',
  'shape of a document',
  'part of a program',
];

/** The pages that people read first, and one whose commands exist only once its plug-in is written. */
const firstPages = ['README.md', 'docs/tutorial/', 'docs/guides/plugins.md', 'docs/guides/what-a-verdict-rests-on.md'];

/** All others take minutes: their samples are run in `npm run test:long`; here they parse, and their commands exist. */
function isRunHere(page: string): boolean {
  return repeatsInFull || firstPages.some((start) => page.startsWith(start));
}

describe.skipIf(repeatsInFull)('the samples of pages that are run in full elsewhere', () => {
  it.each(pages.filter((page) => !isRunHere(page) && samples.get(page)?.length))(
    '%s parse, and their commands exist',
    (page) => {
      const ofPage = samples.get(page) ?? [];
      for (const sample of ofPage) assertParses(sample);
      expect(ofPage.flatMap(({ text }) => commandProblems(text, known))).toEqual([]);
      expect(ofPage.length).toBeGreaterThan(0);
    },
  );
});

describe.concurrent('the samples of', () => {
  for (const [page, ofPage] of samples) {
    if (ofPage.length === 0 || !isRunHere(page)) continue;
    it(page, { timeout: 180_000 }, async ({ expect }) => {
      await using shell = await DocsShell.open(packages, commands.script);
      const problems: string[] = [];
      for (const sample of ofPage) {
        const found = await problemsOf(sample, shell);
        problems.push(...found.map((problem) => `${page}:${sample.line}: ${problem}`));
      }
      expect(problems.join('\n\n')).toBe('');
    });
  }
});

type Treatment = 'setup' | 'syntax only' | 'criteria' | 'part' | 'file' | 'script' | 'console' | 'scenario' | 'types';

/** How a sample is checked, by its directive, its file and its language; undefined where nothing says how. */
function treatmentOf({ language, text, directive, path }: Sample): Treatment | undefined {
  if (directive?.kind === 'syntax-only') return 'syntax only';
  if (directive?.kind === 'setup' || directive?.kind === 'criteria' || directive?.kind === 'part')
    return directive.kind;
  if (path !== undefined) return 'file';
  if (language === 'sh' || language === 'bash') return 'script';
  if (language === 'console' || language === 'text') return 'console';
  if (language === 'ts') return 'types';
  return isData(language) && isScenario(text) ? 'scenario' : undefined;
}

async function problemsOf(sample: Sample, shell: DocsShell): Promise<string[]> {
  const { language, text, directive, path = '' } = sample;
  switch (treatmentOf(sample)) {
    case 'syntax only':
      return syntaxProblems(sample);
    case 'setup':
    case 'script':
      return exitProblems(await shell.run(text), directive?.kind === 'exit' ? directive.code : 0);
    case 'criteria':
      return validated(shell, criteriaScenario(text));
    case 'part':
      return partProblems(sample, shell);
    case 'file':
      return fileProblems(sample, path, shell);
    case 'console':
      return consoleProblems(sample, shell);
    case 'scenario':
      return validated(shell, text, language);
    case 'types':
      return [];
    case undefined:
      return ['this sample cannot be run. Name its file in its first line, or say why in a directive.'];
  }
}

const isData = (language: string): boolean => ['yaml', 'json', 'jsonc'].includes(language);

function exitProblems({ exitCode, output }: ShellResult, code: number): string[] {
  return exitCode === code ? [] : [`exit code ${exitCode} instead of ${code}; printed:\n${output}`];
}

/** Each `$` line is run; what stands below it must be printed. Output alone belongs to the last command. */
async function consoleProblems({ text, directive }: Sample, shell: DocsShell): Promise<string[]> {
  const [before = '', ...commands] = `\n${text}`.split(/\n\$ /);
  const problems = before.trim() === '' ? [] : outputProblems(before, shell.lastOutput);
  for (const [index, each] of commands.entries()) {
    const [command = '', ...documented] = each.replaceAll('\\\n', '').split('\n');
    const result = await shell.run(command);
    const code = directive?.kind === 'exit' && index === commands.length - 1 ? directive.code : 0;
    const found = [...exitProblems(result, code), ...outputProblems(documented.join('\n'), result.output)];
    problems.push(...found.map((problem) => `\`${command}\`: ${problem}`));
  }
  return problems;
}

function outputProblems(documented: string, output: string): string[] {
  if (isPrinted(documented, output)) return [];
  return [`the page shows:\n${documented}\nand the program prints:\n${output}`];
}

/** Writes the file into the project of the page; scenarios and configs are validated there. */
async function fileProblems(sample: Sample, path: string, shell: DocsShell): Promise<string[]> {
  const { language, text } = sample;
  await writeFiles(await shell.currentFolder(), { [path]: text });
  assertParses(sample);
  if (path.startsWith('assay.config.')) return validated(shell, anyScenario);
  if (isData(language) && isScenario(text)) {
    return validationProblems(join(await shell.currentFolder(), path));
  }
  return [];
}

const anyScenario = criteriaScenario('result !== undefined');

async function partProblems(sample: Sample, shell: DocsShell): Promise<string[]> {
  const isConfig = sample.directive?.kind === 'part' && sample.directive.of === 'config';
  if (!isConfig) return validated(shell, completed(sample));
  await writeFiles(await shell.currentFolder(), { 'part/assay.config.yaml': completed(sample) });
  return validated(shell, anyScenario, 'yaml', 'part');
}

async function validated(shell: DocsShell, text: string, language = 'yaml', folder = '.'): Promise<string[]> {
  const path = join(await shell.currentFolder(), folder, `sample.${language}`);
  await writeFiles(dirname(path), { [basename(path)]: text });
  const problems = await validationProblems(path);
  await rm(path);
  return problems;
}

async function validationProblems(path: string): Promise<string[]> {
  const { exitCode, stdout, stderr } = await assayInProcess(['validate', basename(path)], { cwd: dirname(path) });
  return exitProblems({ exitCode, output: stdout + stderr }, 0);
}

function syntaxProblems(sample: Sample): string[] {
  assertParses(sample);
  const reason = sample.directive?.kind === 'syntax-only' ? sample.directive.reason : '';
  const isAccepted = acceptedReasons.some((accepted) => reason.startsWith(accepted));
  return [
    ...(isAccepted ? [] : [`"${reason}" is none of: ${acceptedReasons.join(', ')}`]),
    ...commandProblems(sample.text, known),
  ];
}

describe('commands in the text of', () => {
  it.each(pages)('%s exist, with their options', async (page) => {
    const markdown = await readFile(join(checkout, page), 'utf8');
    expect(commandProblems(inlineCommands(markdown), known)).toEqual([]);
  });
});

describe('samples in TypeScript', () => {
  it('fit the types of the library', { timeout: 120_000 }, async () => {
    const blocks = [...samples.values()].flat().filter(({ language }) => language === 'ts');
    const folder = await temporaryFolder();
    const files: Record<string, string> = {};
    for (const { page, line, text, path } of blocks) {
      const of = page.replaceAll(/[/.]/g, '-');
      files[`${of}/${path ?? `line-${line}.ts`}`] = `${text}\nexport {};\n`;
    }
    const { exports } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')) as PackageExports;
    const compiler = join(checkout, 'node_modules/typescript/bin/tsc');
    const paths = Object.entries(exports).flatMap(([name, entry]) =>
      typeof entry === 'string' ? [] : [[`assay${name.slice(1)}`, [join(checkout, entry.types)]]],
    );
    files['package.json'] = '{ "type": "module" }';
    files['tsconfig.json'] = JSON.stringify({
      extends: join(checkout, 'tsconfig.json'),
      compilerOptions: { noEmit: true, paths: Object.fromEntries(paths), skipLibCheck: true, noUnusedLocals: false },
      include: ['.'],
      exclude: ['node_modules'],
    });
    await writeFiles(folder, files);
    await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
    const { stdout } = await ended(
      spawn(process.execPath, [compiler, '--checkers', '1', '-p', folder], { cwd: folder }),
    );
    expect(stdout).toBe('');
    expect(blocks.length).toBeGreaterThan(0);
  });
});

interface PackageExports {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** Samples that are not run here, each for one of the accepted reasons. */
const mostUnrun = 35;

describe('all samples', () => {
  const visible = [...samples.values()].flat().filter(({ directive }) => directive?.kind !== 'setup');
  const unrun = visible.filter((sample) => treatmentOf(sample) === 'syntax only');

  it(`are ${visible.length}, of which ${unrun.length} cannot be run here`, () => {
    expect(visible.length).toBeGreaterThan(120);
    expect(unrun.length).toBeLessThanOrEqual(mostUnrun);
  });
});

describe('a wrong sample', () => {
  it('is found by its command, options and agent', () => {
    const text = '$ assay run --agent claude --repeats 5\n$ npx assay evalute x\n`assay show --clusters`\n';
    expect(commandProblems(text, known)).toEqual([
      'there is no agent `claude`',
      '`assay run` has no option --repeats',
      'there is no command `assay evalute`',
    ]);
  });

  it('is found by its output; ids, durations and what `…` leaves out may differ', () => {
    const output = '\n  ✓ Orders 4/4\n\n  4 trials: 4 passed in 31 ms\n  run r-20261115-041604-295d55\n';
    expect(isPrinted('  ✓ Orders 4/4\n  4 trials: 4 passed in 2 s\n  run r-20200101-000000-000000', output)).toBe(true);
    expect(isPrinted('…\n  run …', output)).toBe(true);
    expect(isPrinted('  ✓ Orders 4/4\n  run …', output)).toBe(false);
    expect(isPrinted('  4 trials: 3 passed in 31 ms', output)).toBe(false);
  });
});
