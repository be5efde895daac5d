import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sabotages } from '../test/sabotage/sabotages.mjs';
import { build, install, root } from './steps.mjs';

// Takes out one mechanism at a time in a copy of the sources, and expects the tests that guard it to fail.
install();
build();
const wanted = process.argv.slice(2);
const chosen = sabotages.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
const copy = mkdtempSync(join(tmpdir(), 'assay-sabotage-'));
let unnoticed = 0;
try {
  copySources(copy);
  for (const sabotage of chosen) {
    const verdict = tryOne(sabotage);
    if (verdict !== 'noticed') unnoticed++;
    console.log(`${verdict === 'noticed' ? '✓' : '✗'} ${sabotage.name}: ${verdict}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`\n${chosen.length - unnoticed} passed, ${unnoticed} failed`);
process.exitCode = unnoticed === 0 && chosen.length > 0 ? 0 : 1;

function copySources(folder) {
  const left = new Set(['node_modules', '.git', '.assay', 'coverage']);
  cpSync(root, folder, {
    recursive: true,
    filter: (path) =>
      !path
        .slice(root.length)
        .split('/')
        .some((part) => left.has(part) || part.startsWith('dist.')),
  });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}

function tryOne({ file, find, replace, tests }) {
  const path = join(copy, file);
  const whole = readFileSync(path, 'utf8');
  if (whole.split(find).length !== 2) return `"${find}" does not stand exactly once in ${file}`;
  writeFileSync(
    path,
    whole.replace(find, () => replace),
  );
  try {
    const builds = run(['-e', "import('./scripts/steps.mjs').then(({ build }) => build({ force: true }))"]);
    if (builds.status !== 0) return `the sabotaged program cannot be built\n${builds.stderr}`;
    const vitest = join('node_modules', 'vitest', 'vitest.mjs');
    const tested = run([vitest, 'run', '--config', 'vitest.sabotage.config.ts', ...tests]);
    const hasRun = /Tests .*(failed|passed)/.test(tested.stdout);
    if (!hasRun) return `no test ran\n${tested.stdout}${tested.stderr}`;
    return tested.status === 0 ? 'nobody noticed' : 'noticed';
  } finally {
    writeFileSync(path, whole);
  }
}

function run(args) {
  return spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
}
