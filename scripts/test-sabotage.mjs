import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sabotages } from '../test/sabotage/sabotages.mjs';
import { build, install, root, webSources } from './steps.mjs';

// Takes out one mechanism at a time in a copy of the sources, and expects the tests that guard it to fail.
const { values, positionals: wanted } = parseArgs({ allowPositionals: true, options: { shard: { type: 'string' } } });
const [shard, shards] = shardOf(values.shard);
install();
build();
const chosen = sabotages
  .filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .filter((_, index) => index % shards === shard - 1);
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

/** `2/4`: the second of four parts, which can run one after the other or beside each other. */
function shardOf(text = '1/1') {
  const [, part, parts] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (Number(part) >= 1 && Number(part) <= Number(parts)) return [Number(part), Number(parts)];
  console.error(`--shard must be like 2/4, not "${text}".`);
  process.exit(2);
}

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
    const problem = buildFor(file, tests);
    if (problem !== undefined) return problem;
    const vitest = join('node_modules', 'vitest', 'vitest.mjs');
    const tested = run([vitest, 'run', '--config', 'vitest.sabotage.config.ts', ...tests]);
    const hasRun = /Tests .*(failed|passed)/.test(tested.stdout);
    if (!hasRun) return `no test ran\n${tested.stdout}${tested.stderr}`;
    return tested.status === 0 ? 'nobody noticed' : 'noticed';
  } finally {
    writeFileSync(path, whole);
  }
}

/** Builds what the tests look at: nothing for tests of sources, and the pages only where they can differ. */
function buildFor(file, tests) {
  const files = tests.filter((test) => /^(?:src|test|web|examples)\//.test(test));
  if (!files.some(startsProgram)) return undefined;
  const pages = webSources.some((source) => file.startsWith(source)) || files.some((test) => /\bweb\b|html/.test(test));
  const script = `import('./scripts/steps.mjs').then(({ build }) => build({ force: true, pages: ${pages} }))`;
  const { status, stderr } = run(['-e', script]);
  return status === 0 ? undefined : `the sabotaged program cannot be built\n${stderr}`;
}

/** Whether tests may look at the built program: those of folders, and all that import something with which it is started. */
function startsProgram(test) {
  const path = join(copy, test);
  if (test.startsWith('test/') || !test.endsWith('.test.ts')) return true;
  return /testing\/(?:support\/(?!temporary-folder|repetitions)|program)|dist\//.test(readFileSync(path, 'utf8'));
}

function run(args) {
  return spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
}
