import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** The lists of features, and of the options and parts of reports of some of them. */
const lists = ['src/features/index.ts', 'src/domain/run-options/index.ts', 'src/report/reporters/sections/details.ts'];

/** Suites that every run needs, and none of which is about a feature. */
const coreSuites = [
  'src/engine',
  'src/domain/run-options',
  'test/engine/faults-engine.test.ts',
  'test/engine/absent.test.ts',
];

const features = readdirSync(join(checkout, 'src/features'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** A copy of the sources and the core suites, from which one feature after the other is taken. */
let scratch = '';

beforeAll(async () => {
  scratch = await realpath(await mkdtemp(join(tmpdir(), 'assay-features-')));
  for (const path of ['src', 'test', 'bin', 'scripts', 'examples']) {
    cpSync(join(checkout, path), join(scratch, path), { recursive: true });
  }
  for (const path of ['package.json', 'tsconfig.json', 'vitest.config.ts', 'rolldown.config.mjs']) {
    cpSync(join(checkout, path), join(scratch, path));
  }
  symlinkSync(join(checkout, 'node_modules'), join(scratch, 'node_modules'));
  // What did not change since the feature before is not checked again.
  const compilerOptions = { incremental: true, noEmit: true, tsBuildInfoFile: './features.tsbuildinfo' };
  writeFileSync(
    join(scratch, 'tsconfig.features.json'),
    JSON.stringify({
      extends: './tsconfig.json',
      compilerOptions,
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.test.ts'],
    }),
  );
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Takes a feature out of the copy until the test has finished: its folder, and its lines in the lists. */
function takeOut(feature: string): void {
  const folder = join('src/features', feature);
  onTestFinished(() => {
    for (const path of [folder, ...lists]) cpSync(join(checkout, path), join(scratch, path), { recursive: true });
  });
  rmSync(join(scratch, folder), { recursive: true });
  for (const list of lists)
    writeFileSync(join(scratch, list), without(feature, readFileSync(join(scratch, list), 'utf8')));
}

function without(feature: string, text: string): string {
  const line = new RegExp(`^import \\{ (\\w+) \\} from '[^']*/${feature}/[\\w/-]+\\.ts';\\n`, 'm');
  const name = line.exec(text)?.[1];
  if (name === undefined) return text;
  return text.replace(line, '').replace(new RegExp(`(\\.\\.\\.)?\\b${name}\\b(, |,\\n)?`), '');
}

function run(program: string, ...args: readonly string[]): string {
  const { ASSAY_STORE: _, ...env } = process.env;
  const child = spawnSync(process.execPath, [join(checkout, 'node_modules', program), ...args], {
    cwd: scratch,
    env,
    encoding: 'utf8',
    maxBuffer: 50_000_000,
  });
  return child.status === 0 ? '' : `${child.stdout}${child.stderr}`;
}

describe('a feature is one folder', () => {
  it('there are some', () => {
    expect(features).toContain('stop-after-failures');
    expect(features.length).toBeGreaterThan(5);
  });

  it.each(features)(
    'without %s everything else type-checks, builds and runs',
    (feature) => {
      takeOut(feature);
      const left = lists.filter((list) => readFileSync(join(scratch, list), 'utf8').includes(`/${feature}/`));
      expect(left).toEqual([]);
      expect(run('typescript/bin/tsc', '--project', 'tsconfig.features.json')).toBe('');
      expect(run('rolldown/bin/cli.mjs', '-c', 'rolldown.config.mjs')).toBe('');
      // As the build of the checkout does: tests refuse a program without the time of its build.
      writeFileSync(join(scratch, 'dist', '.built'), '');
      expect(run('vitest/vitest.mjs', 'run', ...coreSuites)).toBe('');
    },
    900_000,
  );
});
