import type { Dirent } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve, sep } from 'node:path';
import type { Problem } from '../../domain/problem.ts';
import { matcherOf } from '../../keep/bundles/file-patterns.ts';
import { isRecord } from '../../shared/json.ts';
import { listed, nearestName } from '../../shared/suggest.ts';
import { dataExtensions, fileFault, isScenarioModule } from '../sources/source-file.ts';

const skippedFolders = new Set(['node_modules', 'dist', 'coverage']);

/** A file to read; one that the user named must be a scenario, one in a folder may be something else. */
export interface FoundFile {
  readonly file: string;
  readonly isNamed: boolean;
}

/** Files below the given paths. */
interface Discovery {
  /** In a fixed order, each once. */
  readonly files: readonly FoundFile[];
  /** Symbolic links to data files and folders: followed only when the user names them, so no link leads out of a folder. */
  readonly links: readonly string[];
  readonly problems: readonly Problem[];
}

/** Finds the files below the given paths, except in hidden and generated folders, and those that patterns exclude. */
export async function discoverFiles(
  paths: readonly string[],
  folder: string,
  exclude: readonly string[] = [],
): Promise<Discovery> {
  const files = new Map<string, FoundFile>();
  const links: string[] = [];
  const isExcluded = matcherOf(exclude);
  const isRead = (file: string): boolean => !isExcluded(file.split(sep).join('/'));
  const problems: Problem[] = [];
  for (const path of paths) {
    try {
      const entry = await stat(resolve(folder, path));
      const found = entry.isDirectory() ? (await filesBelow(path, folder, links)).filter(isRead) : [path];
      for (const file of found) if (!files.has(file)) files.set(file, { file, isNamed: !entry.isDirectory() });
    } catch (error) {
      problems.push({ at: { file: path, line: 1, column: 1 }, ...(await missing(path, folder, error)) });
    }
  }
  return { files: [...files.values()], links: links.filter(isRead), problems };
}

async function filesBelow(path: string, folder: string, links: string[]): Promise<string[]> {
  const entries = await readdir(resolve(folder, path), { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inside = join(path, entry.name);
    if (isEntered(entry)) files.push(...(await filesBelow(inside, folder, links)));
    else if (entry.isFile() && isDataFile(entry.name)) files.push(inside);
    else if (entry.isSymbolicLink() && (isDataFile(entry.name) || (await isFolderLink(entry, folder, path))))
      links.push(inside);
  }
  return files;
}

function isEntered(entry: Dirent): boolean {
  return entry.isDirectory() && isEnteredName(entry.name);
}

function isEnteredName(name: string): boolean {
  return !name.startsWith('.') && !skippedFolders.has(name);
}

async function isFolderLink({ name }: Dirent, folder: string, path: string): Promise<boolean> {
  const target = await stat(resolve(folder, path, name)).catch(() => undefined);
  return target?.isDirectory() === true && isEnteredName(name);
}

/** TOML files are configs of all kinds; only the one of a task folder is a scenario. */
const taskFile = 'task.toml';

function isDataFile(name: string): boolean {
  if (name === taskFile) return true;
  return (
    !name.startsWith('.') &&
    (isScenarioModule(name) || (dataExtensions as readonly string[]).includes(extname(name).toLowerCase()))
  );
}

/** The message about a path where nothing is. */
export const missingPath = 'the file or folder does not exist';

function folderName(folder: string): string {
  return folder === '.' ? 'It' : folder;
}

async function missing(path: string, folder: string, error: unknown): Promise<Pick<Problem, 'message' | 'hint'>> {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return { message: fileFault(error) };
  const neighbours: readonly string[] = await readdir(resolve(folder, dirname(path))).catch(() => []);
  if (neighbours.includes(basename(path)))
    return { message: 'the symbolic link leads to nothing', hint: 'Correct its target, or remove the link.' };
  const nearest = nearestName(basename(path), neighbours);
  const others = neighbours.filter((name) => /\.(?:ya?ml|jsonc?)$/.test(name));
  const hint =
    nearest === undefined
      ? `Check the path; it is relative to the current folder.${others.length > 0 ? ` ${folderName(dirname(path))} has ${listed(others)}.` : ''}`
      : `Did you mean \`${join(dirname(path), nearest)}\`?`;
  return { message: missingPath, hint };
}

const ownSchema = /^assay\.[\w.-]+\/\d+$/;
/** Documents that Assay writes begin with their schema, exported traces with their spans. */
const ownBeginning =
  /^\s*\{\s*(?:"schema"\s*:\s*"assay\.[\w.-]+\/\d+"|"resourceSpans"\s*:|"schema_version"\s*:\s*"ATIF-)/;
const headBytes = 512;

/** The schema of a document that Assay wrote, such as a baseline or an exported run; undefined for anything else. */
export function ownSchemaOf(value: unknown): string | undefined {
  const schema = isRecord(value) ? value.schema : undefined;
  return typeof schema === 'string' && ownSchema.test(schema) ? schema : undefined;
}

/**
 * Classifies a file by its beginning. No more is read: a document may still be growing (`assay run --json > run.json` in
 * the project), or be larger than any scenario may be.
 */
export async function peekAt(file: string, folder: string): Promise<'empty' | 'own-document' | 'unknown'> {
  try {
    await using handle = await open(resolve(folder, file));
    if (!(await handle.stat()).isFile()) return 'unknown';
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    if (bytesRead === 0) return 'empty';
    return ownBeginning.test(buffer.toString('utf8', 0, bytesRead)) ? 'own-document' : 'unknown';
  } catch {
    // Reading the whole file reports why it cannot be read.
    return 'unknown';
  }
}
