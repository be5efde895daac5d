import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** The lists of features, and of the options of some of them. */
const lists = ['src/features/index.ts', 'src/domain/run-options/index.ts'];

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

/** A copy of the sources and the core suites without one feature: its folder, and its lines in the lists. */
async function copyWithout(feature: string): Promise<string> {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'assay-features-')));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  for (const path of ['src', 'test', 'bin', 'scripts', 'examples']) {
    cpSync(join(checkout, path), join(scratch, path), { recursive: true });
  }
  for (const path of ['package.json', 'tsconfig.json', 'vitest.config.ts', 'rolldown.config.mjs']) {
    cpSync(join(checkout, path), join(scratch, path));
  }
  symlinkSync(join(checkout, 'node_modules'), join(scratch, 'node_modules'));
  rmSync(join(scratch, 'src/features', feature), { recursive: true });
  for (const list of lists)
    writeFileSync(join(scratch, list), without(feature, readFileSync(join(scratch, list), 'utf8')));
  return scratch;
}

function without(feature: string, text: string): string {
  const line = new RegExp(`^import \\{ (\\w+) \\} from '[^']*/${feature}/\\w+\\.ts';\\n`, 'm');
  const name = line.exec(text)?.[1];
  if (name === undefined) return text;
  return text.replace(line, '').replace(new RegExp(`(\\.\\.\\.)?\\b${name}\\b(, |,\\n)?`), '');
}

function run(cwd: string, program: string, ...args: readonly string[]): string {
  const { ASSAY_STORE: _, ...env } = process.env;
  const child = spawnSync(process.execPath, [join(checkout, 'node_modules', program), ...args], {
    cwd,
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
    async (feature) => {
      const scratch = await copyWithout(feature);
      const left = lists.filter((list) => readFileSync(join(scratch, list), 'utf8').includes(`/${feature}/`));
      expect(left).toEqual([]);
      writeFileSync(
        join(scratch, 'tsconfig.features.json'),
        JSON.stringify({ extends: './tsconfig.json', include: ['src/**/*.ts'], exclude: ['src/**/*.test.ts'] }),
      );
      expect(run(scratch, 'typescript/bin/tsc', '--noEmit', '--project', 'tsconfig.features.json')).toBe('');
      expect(run(scratch, 'rolldown/bin/cli.mjs', '-c', 'rolldown.config.mjs')).toBe('');
      // As the build of the checkout does: tests refuse a program without the time of its build.
      writeFileSync(join(scratch, 'dist', '.built'), '');
      expect(run(scratch, 'vitest/vitest.mjs', 'run', ...coreSuites)).toBe('');
    },
    900_000,
  );
});
