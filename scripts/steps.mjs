import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { areInstalled } from './installed-packages.mjs';
import { thirdPartyLicences } from './third-party-licences.mjs';

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
  if (isInstalledByHand()) return writeFileSync(stamp, wanted);
  console.log('Installing dependencies …');
  // Also when all of it is part of `npm pack --dry-run`, which hands its options down.
  step('npm', ['ci', '--no-audit', '--no-fund', '--dry-run=false'], {
    shell: process.platform === 'win32',
    timeout: 600_000,
  });
  writeFileSync(stamp, wanted);
}

/** After `npm ci` or `npm install`, npm lists what it installed. */
function isInstalledByHand() {
  const [lock, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map((name) => join(root, name));
  if (!existsSync(installed)) return false;
  return areInstalled(packagesOf(lock), packagesOf(installed));
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}

const scenarioTypes = join('src', 'load', 'scenarios', 'code', 'scenario-keys.ts');

/** Writes the sources that are made from others, where these are newer. */
export function generate() {
  if (!isStale(['src', 'scripts/docs-reference'], join(root, scenarioTypes))) return;
  step(process.execPath, [join(root, 'scripts', 'scenario-types.mjs')]);
}

/** What the pages in the browser are made of: their own sources, and what they share with the program. */
export const webSources = [
  'web',
  'src/entry/server/api',
  'src/domain',
  'src/shared',
  'src/report/compare',
  'src/report/presentation',
  'src/report/reporters',
  'package-lock.json',
];

/**
 * Builds the program and the pages of its web UI, each when its sources are newer than what was built. What is new takes
 * the place of what was there at once, so that a program that runs meanwhile finds all of its files.
 */
export function build({ force = false, complete = false, pages = true } = {}) {
  generate();
  const dist = join(root, 'dist');
  const hasPages = existsSync(join(dist, '.web-built'));
  const isWebStale = !hasPages || (pages && (force || isStale(webSources, join(dist, '.web-built'))));
  if (!force && !isProgramStale()) {
    if (isWebStale) buildWebAlone(dist);
    return;
  }
  console.log('Building …');
  const fresh = newFolder();
  // From before the build, like the stamp of the pages: what is written meanwhile is built next time.
  writeFileSync(join(fresh, '.built'), '');
  quietTool('rolldown/bin/cli.mjs', ['--config', 'rolldown.config.mjs'], { ASSAY_BUILD_DIR: fresh });
  if (isWebStale) buildWeb(fresh);
  else for (const name of ['web', '.web-built', webPackages]) cpSync(join(dist, name), join(fresh, name), keepingTimes);
  writeLicences(fresh);
  if (complete) buildTypes(fresh);
  else keepTypes(dist, fresh);
  if (complete) step(process.execPath, [join(root, 'scripts', 'sbom.mjs'), fresh]);
  replace(dist, fresh);
}

/** Whether the program was built from older sources than those of the checkout. */
export function isProgramStale() {
  return isStale(['src', 'package.json', 'rolldown.config.mjs'], join(root, 'dist', '.built'));
}

/** The declarations of the last complete build: they change seldom, and take as long as the program. */
function keepTypes(dist, fresh) {
  const types = join(dist, 'types');
  if (existsSync(types)) cpSync(types, join(fresh, 'types'), keepingTimes);
}

/** A folder to build into, which does not stay behind when a step fails. */
function newFolder() {
  const folder = join(root, `dist.new-${process.pid}`);
  mkdirSync(folder);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const keepingTimes = { recursive: true, preserveTimestamps: true };

function buildWebAlone(dist) {
  console.log('Building the pages …');
  const fresh = newFolder();
  buildWeb(fresh);
  replace(join(dist, 'web'), join(fresh, 'web'));
  for (const name of ['.web-built', webPackages]) renameSync(join(fresh, name), join(dist, name));
  rmSync(fresh, { recursive: true });
  writeLicences(dist);
}

/** The declarations of everything that the library exports, and of nothing else. */
function buildTypes(dir) {
  const all = join(dir, 'all-types');
  tool('typescript/bin/tsc', ['--project', 'tsconfig.types.json', '--outDir', all]);
  step(process.execPath, [join(root, 'scripts', 'public-types.mjs'), all, join(dir, 'types')]);
}

/** Written by the bundlers (bundled-packages.mjs). */
const programPackages = '.bundled-packages.json';
const webPackages = '.web-packages.json';

function writeLicences(dir) {
  const lists = [programPackages, webPackages].map((name) => JSON.parse(readFileSync(join(dir, name), 'utf8')));
  writeFileSync(join(dir, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicences([...new Set(lists.flat())].sort()));
}

/** The stamp is from before the build: what is written meanwhile is built next time. */
function buildWeb(dir) {
  writeFileSync(join(dir, '.web-built'), '');
  for (const mode of ['production', 'report']) {
    quietTool('vite/bin/vite.js', ['build', 'web', '--mode', mode, '--logLevel', 'warn'], { ASSAY_BUILD_DIR: dir });
  }
}

function replace(old, fresh) {
  const replaced = join(root, `dist.old-${process.pid}`);
  if (existsSync(old)) renameSync(old, replaced);
  renameSync(fresh, old);
  rmSync(replaced, { recursive: true, force: true });
}

function isStale(sources, stamp) {
  return !existsSync(stamp) || newest(sources.map((name) => join(root, name))) > statSync(stamp).mtimeMs;
}

function newest(paths) {
  return Math.max(
    ...paths.map((path) => {
      const entry = statSync(path);
      return entry.isDirectory() ? newest(sourcesIn(path)) : entry.mtimeMs;
    }),
  );
}

function sourcesIn(folder) {
  return readdirSync(folder)
    .filter((name) => name !== 'node_modules' && !/\.test\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}
