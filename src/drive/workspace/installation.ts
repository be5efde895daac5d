import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isInside } from './room-base.ts';

/** Files at the root of what is built and installed together. */
export const manifests = [
  'package.json',
  'pyproject.toml',
  'setup.py',
  'Cargo.toml',
  'go.mod',
  'Gemfile',
  'composer.json',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'mix.exs',
  'pyvenv.cfg',
];

/** Folders of launchers, whose code lies in the folders beside them. */
export const launcherFolders: ReadonlySet<string> = new Set(['bin', 'sbin', 'libexec', 'scripts']);
const besideLaunchers = ['lib', 'lib64', 'libexec', 'share'];

/**
 * Files and folders that a program needs to start: its own file, its package or else the folder it lies in with those that launchers use, and
 * the Node modules that its package finds. Empty for a path that does not exist.
 */
export function installationOf(program: string): string[] {
  if (!existsSync(program)) return [];
  const real = realpathSync(program);
  const folder = packageOf(real);
  const own = folder === undefined ? besides(dirname(real)) : [folder];
  return [program, ...own, ...(folder === undefined ? [] : modulesFor(folder))];
}

/** The folder of the package that holds a program; undefined where it does not come in one. */
export function packageFolderOf(program: string): string | undefined {
  return isAbsolute(program) && existsSync(program) ? packageOf(realpathSync(program)) : undefined;
}

/** A folder on PATH and the folders beside it that its programs use. */
export function besides(folder: string): string[] {
  if (basename(folder) === '.bin' && basename(dirname(folder)) === 'node_modules') return [dirname(folder)];
  // Version managers keep the programs beside the folder of their shims.
  if (basename(folder) === 'shims') return [dirname(folder)];
  if (!launcherFolders.has(basename(folder))) return [folder];
  const prefix = dirname(folder);
  if (existsSync(join(prefix, 'pyvenv.cfg'))) return [prefix];
  // The share folder of a user holds the data of many programs.
  const isUsers = prefix === homedir() || prefix === join(homedir(), '.local');
  return [
    folder,
    ...(isUsers ? [] : besideLaunchers.map((name) => join(prefix, name)).filter((path) => existsSync(path))),
  ];
}

/** The folder of the package that a file belongs to; undefined where no manifest lies above it. */
function packageOf(file: string): string | undefined {
  const ends = new Set(['/', homedir(), realpathOr(tmpdir())]);
  let part: string | undefined;
  for (let folder = dirname(file); !ends.has(folder); folder = dirname(folder)) {
    const manifest = manifests.find((name) => existsSync(join(folder, name)));
    if (manifest !== undefined && !isOfPart(join(folder, manifest))) return folder;
    if (manifest !== undefined) part ??= folder;
  }
  return part;
}

const keysOfParts: ReadonlySet<string> = new Set(['type', 'sideEffects']);

/** Whether a manifest only says how the files of one folder are to be read, while the package goes on above. */
function isOfPart(manifest: string): boolean {
  if (basename(manifest) !== 'package.json') return false;
  try {
    return Object.keys(JSON.parse(readFileSync(manifest, 'utf8'))).every((key) => keysOfParts.has(key));
  } catch {
    return false;
  }
}

/** The folders of modules above a package, and the packages of the same workspace that links in them lead to. */
function modulesFor(folder: string): string[] {
  const found: string[] = [];
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    const modules = basename(at) === 'node_modules' ? at : join(at, 'node_modules');
    if (existsSync(modules) && !found.includes(modules)) found.push(modules, ...linkedFrom(modules));
  }
  return found.filter((path) => path !== folder && !isInside(path, folder));
}

function linkedFrom(modules: string): string[] {
  const scopes = entriesOf(modules).filter((name) => name.startsWith('@'));
  const links = [modules, ...scopes.map((scope) => join(modules, scope))].flatMap((folder) =>
    entriesOf(folder)
      .map((name) => join(folder, name))
      .filter((path) => lstatSync(path).isSymbolicLink() && existsSync(path)),
  );
  return links.map((path) => realpathSync(path)).filter((path) => !isInside(path, modules));
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function realpathOr(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
