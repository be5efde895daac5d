import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the checkout. */
export const root = fileURLToPath(new URL('..', import.meta.url));

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Assay needs Node.js 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(2);
}

/** Runs a program and ends this one when it fails. */
export function step(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error) throw result.error;
  if (result.signal) process.exit(1);
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Runs a development tool that is installed in the checkout. */
export function tool(name, args) {
  step(process.execPath, [join(root, 'node_modules', ...name.split('/')), ...args]);
}

/** The same for a tool that says much when all is well; it is heard only when it fails. */
function quietTool(name, args, env) {
  const path = join(root, 'node_modules', ...name.split('/'));
  const result = spawnSync(process.execPath, [path, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout}${result.stderr}`);
  process.exit(result.status ?? 1);
}

/** Installs the dependencies of the lockfile when they are missing or others. */
export function install() {
  const stamp = join(root, 'node_modules', '.assay-installed');
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Installing dependencies …');
  step('npm', ['ci', '--no-audit', '--no-fund'], { shell: process.platform === 'win32' });
  writeFileSync(stamp, wanted);
}

/**
 * Builds the program when its sources are newer than what was built. The new build takes the old one's place at once,
 * so that a program that runs meanwhile finds all of its files.
 */
export function build({ force = false, types = false } = {}) {
  const dist = join(root, 'dist');
  const stamp = join(dist, '.built');
  const sources = ['src', 'package.json', 'rolldown.config.mjs'].map((name) => join(root, name));
  if (!force && existsSync(stamp) && newest(sources) <= statSync(stamp).mtimeMs) return;
  console.log('Building …');
  const fresh = join(root, `dist.new-${process.pid}`);
  const replaced = join(root, `dist.old-${process.pid}`);
  mkdirSync(fresh);
  quietTool('rolldown/bin/cli.mjs', ['--config', 'rolldown.config.mjs'], { ASSAY_BUILD_DIR: fresh });
  if (types) tool('typescript/bin/tsc', ['--project', 'tsconfig.types.json', '--outDir', join(fresh, 'types')]);
  writeFileSync(join(fresh, '.built'), '');
  if (existsSync(dist)) renameSync(dist, replaced);
  renameSync(fresh, dist);
  rmSync(replaced, { recursive: true, force: true });
}

function newest(paths) {
  return Math.max(
    ...paths.map((path) => {
      const entry = statSync(path);
      return entry.isDirectory() ? newest(readdirSync(path).map((name) => join(path, name))) : entry.mtimeMs;
    }),
  );
}
