import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, open, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { cleanEnvironment } from '../../drive/workspace/clean-environment.ts';
import { launcherFolders, manifests } from '../../drive/workspace/installation.ts';
import { runProcess } from '../../shared/processes/run-process.ts';
import { shellWords, simpleCommands, wordsOf } from '../../shared/shell-words.ts';
import type { FileDigests } from './file-digests.ts';

/** Shared folders with programs of many packages; each program counts by itself. */
const sharedPrefixes = ['/usr/', '/bin/', '/sbin/', '/opt/homebrew/bin/', '/snap/', '/nix/store/', '/System/'];
const sharedInHome = ['.local/bin', 'bin', '.cargo/bin', 'go/bin', '.npm-global/bin', '.bun/bin', '.deno/bin'];

/** Files that a program depends on: its own, the folder of its package, and its interpreter. */
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
function packageFolder(program: string, home = homedir()): string | undefined {
  const own = dirname(program);
  const roots = new Set(['/', home, tmpdir()]);
  for (let folder = own; !roots.has(folder); folder = dirname(folder)) {
    if ([...manifests, '.git'].some((name) => existsSync(join(folder, name)))) return folder;
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
    (await firstLineOf(script))
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

async function firstLineOf(file: string): Promise<string> {
  await using handle = await open(file);
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(longestFirstLine), 0, longestFirstLine, 0);
  return buffer.subarray(0, bytesRead).toString('latin1').split('\n', 1)[0] ?? '';
}

/** An absolute path as it is; a name as the shell finds it. */
function onPath(program: string, searchPath: string): string | undefined {
  if (isAbsolute(program)) return existsSync(program) ? program : undefined;
  return searchPath
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
}

/** Message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface CommandPlaces {
  /** Absolute; where relative paths in the command may start. */
  readonly folders: readonly string[];
  readonly searchPath: string;
}

/** SHA-256 of every file that shell commands name by a path, by the word that names it. */
export async function filesInCommands(
  commands: readonly string[],
  folders: readonly string[],
  digests: FileDigests,
): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const word of commands.flatMap((command) => wordsOf(command, existsSync))) {
    const file = fileNamed(word, folders);
    if (file !== undefined) found[word] = await digests.of(file);
  }
  return found;
}

/**
 * Files that an agent's shell command depends on: its programs, and the scripts among their arguments. Throws
 * where the command hides them, because a result of another agent could then be reused.
 */
export async function commandInputs(command: string, places: CommandPlaces, digests: FileDigests): Promise<unknown> {
  const hidden = command.match(/`|\$\(|\$\{?(?!ASSAY_)[A-Za-z_@*0-9]\w*/)?.[0];
  if (hidden !== undefined) throw new Error(`the program of \`${command}\` depends on \`${hidden}\``);
  const inputs: Record<string, unknown> = {};
  for (const part of simpleCommands(command, existsSync)) {
    for (const [index, word] of part.entries()) {
      const file = fileNamed(word, places.folders) ?? (index === 0 ? onPath(word, places.searchPath) : undefined);
      if (file !== undefined) inputs[word] = await programInputs(file, places.searchPath, digests);
      else if (index === 0 && !shellWords.has(word)) throw new Error(`\`${word}\` of \`${command}\` was not found`);
    }
  }
  return inputs;
}

function fileNamed(word: string, folders: readonly string[]): string | undefined {
  if (!word.includes('/') && !word.includes('.')) return undefined;
  const places = isAbsolute(word) ? [word] : folders.map((folder) => resolve(folder, word));
  return places.find((place) => existsSync(place) && statSync(place).isFile());
}

const versionTimeoutMs = 10_000;
const mostVersionBytes = 65_536;

/** How the program answers `--version`, whatever that is: an older or newer one may answer differently. */
export async function printedVersion(program: string, env: Record<string, string>): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'assay-version-'));
  try {
    const signal = AbortSignal.timeout(versionTimeoutMs);
    const surroundings = { cwd: home, env: { ...env, ...cleanEnvironment(env, { home, tmp: home }) } };
    const request = { ...surroundings, tag: randomUUID(), stdin: '', stdoutLimitBytes: mostVersionBytes, signal };
    const end = await runProcess(`'${program.replaceAll("'", `'\\''`)}' --version`, { ...request, endsDaemons: true });
    if (end.wasStopped) throw new Error(`\`${program} --version\` did not end within ${versionTimeoutMs / 1_000} s`);
    return JSON.stringify([end.exitCode, end.stdout.text, end.stderr.text]).replaceAll(home, '');
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
