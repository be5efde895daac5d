import { existsSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import type { FileDigests } from './file-digests.ts';

/** Files at the root of what is built and installed together. */
const packageFiles = [
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
  '.git',
];

/** Folders of launchers, whose code lies beside them. */
const launcherFolders: ReadonlySet<string> = new Set(['bin', 'sbin', 'libexec', 'scripts']);

/** Programs of many packages lie here side by side; each is known by itself. */
const sharedPrefixes = ['/usr/', '/bin/', '/sbin/', '/opt/homebrew/bin/', '/snap/', '/nix/store/', '/System/'];
const sharedInHome = ['.local/bin', 'bin', '.cargo/bin', 'go/bin', '.npm-global/bin', '.bun/bin', '.deno/bin'];

/** What a program is made of: its own file, the folder of its package, and what interprets it. */
export async function programInputs(
  program: string,
  searchPath: string,
  digests: FileDigests,
): Promise<Readonly<Record<string, string | null>>> {
  const real = await realpath(program);
  const folder = packageFolder(real);
  return {
    file: await digests.of(real),
    folder: folder === undefined ? null : await folderDigest(folder, digests),
    interpreter: await interpreterDigest(real, searchPath, digests),
  };
}

/** The folder that changes when the code of a program changes; undefined for one in a folder of many packages. */
export function packageFolder(program: string, home = homedir()): string | undefined {
  const own = dirname(program);
  const roots = new Set(['/', home, tmpdir()]);
  for (let folder = own; !roots.has(folder); folder = dirname(folder)) {
    if (packageFiles.some((name) => existsSync(join(folder, name)))) return folder;
    if (dirname(folder) === folder) break;
  }
  const isShared =
    roots.has(own) ||
    sharedPrefixes.some((prefix) => `${own}/`.startsWith(prefix)) ||
    sharedInHome.some((name) => own === join(home, name));
  if (isShared) return undefined;
  const above = dirname(own);
  return launcherFolders.has(basename(own)) && !roots.has(above) ? above : own;
}

async function folderDigest(folder: string, digests: FileDigests): Promise<string> {
  try {
    return await digests.of(folder);
  } catch (error) {
    throw new Error(`the folder of the program, ${folder}, cannot be compared: ${messageOf(error)}`);
  }
}

const longestFirstLine = 512;

/** Of a script: the program that its `#!` line names. */
async function interpreterDigest(script: string, searchPath: string, digests: FileDigests): Promise<string | null> {
  const words =
    (await firstLine(script))
      .match(/^#!\s*(.*)$/)?.[1]
      ?.split(/\s+/)
      .filter(Boolean) ?? [];
  const [first, ...rest] = words;
  if (first === undefined) return null;
  const named = basename(first) === 'env' ? rest.find((word) => !word.startsWith('-') && !word.includes('=')) : first;
  const found = named === undefined ? undefined : onPath(named, searchPath);
  if (found === undefined) throw new Error(`the interpreter of ${script}, \`${named ?? first}\`, was not found`);
  return digests.of(await realpath(found));
}

async function firstLine(file: string): Promise<string> {
  await using handle = await open(file);
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(longestFirstLine), 0, longestFirstLine, 0);
  return buffer.subarray(0, bytesRead).toString('latin1').split('\n', 1)[0] ?? '';
}

/** An absolute path as it is; a name as the shell finds it. */
export function onPath(program: string, searchPath: string): string | undefined {
  if (isAbsolute(program)) return existsSync(program) ? program : undefined;
  return searchPath
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
}

/** What a thrown value says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
