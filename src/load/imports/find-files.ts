import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve, sep } from 'node:path';
import type { Problem } from '../../domain/problem.ts';

/** A file to import. */
export interface FoundImport {
  /** As the user names it. */
  readonly file: string;
  readonly path: string;
  /** Default name of its trials. */
  readonly name: string;
  /** False for a file in a folder that the user named. */
  readonly isNamed: boolean;
  /** Bytes to read, because the file may grow meanwhile. */
  readonly bytes: number;
  readonly changedAt: number;
}

const skippedFolders = new Set(['node_modules', 'dist', 'coverage', 'fixture', 'recorder']);
const extensions = new Set(['.json', '.jsonl', '.ndjson', '.xml', '.csv', '.txt', '.log', '.eval', '.traj']);
/** Names that describe the kind of file and not its content. */
const emptyNames =
  /^(?:events|transcript|transcript\.raw|transcript\.human|trace|traces|stdout|output|messages|session|stream|artifacts)$/i;

/** The files below the given paths, in a fixed order; those that cannot be opened are reported. */
export async function findImports(
  paths: readonly string[],
  folder: string,
  problems: Pick<ImportProblems, 'add'>,
): Promise<FoundImport[]> {
  const found = new Map<string, FoundImport>();
  for (const given of paths) {
    const path = resolve(folder, given);
    const add = (file: FoundImport): void => {
      if (!found.has(file.path)) found.set(file.path, file);
    };
    try {
      const entry = await stat(path);
      if (entry.isDirectory()) for (const file of await filesBelow(given, path, '')) add(file);
      else if (entry.isFile()) {
        add({ file: given, path, name: nameOfFile(path), isNamed: true, bytes: entry.size, changedAt: entry.mtimeMs });
      } else problems.add(problemOf(given, 'it is not a regular file'));
    } catch (error) {
      problems.add(problemOf(given, reasonOf(error)));
    }
  }
  return [...found.values()];
}

async function filesBelow(given: string, path: string, inside: string): Promise<FoundImport[]> {
  const entries = await readdir(join(path, inside), { withFileTypes: true });
  const files: FoundImport[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const below = join(inside, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory() && !skippedFolders.has(entry.name)) files.push(...(await filesBelow(given, path, below)));
    else if (entry.isFile() && extensions.has(extname(entry.name).toLowerCase())) {
      const { size: bytes, mtimeMs: changedAt } = await stat(join(path, below));
      const name = nameWithin(below, path);
      files.push({ file: join(given, below), path: join(path, below), name, isNamed: false, bytes, changedAt });
    }
  }
  return files;
}

/** The folder names the trial: `task-a/events.jsonl` belongs to `task-a`. */
function nameWithin(inside: string, folder: string): string {
  const parts = withoutExtension(inside).split(sep);
  while (parts.length > 0 && emptyNames.test(parts.at(-1) ?? '')) parts.pop();
  return parts.length > 0 ? parts.join('/') : basename(folder);
}

function nameOfFile(path: string): string {
  let at = withoutExtension(path);
  while (emptyNames.test(basename(at)) && dirname(at) !== at) at = dirname(at);
  return basename(at) || withoutExtension(basename(path));
}

function withoutExtension(path: string): string {
  return path.slice(0, path.length - extname(path).length);
}

function problemOf(file: string, message: string) {
  return { at: { file, line: 1, column: 1 }, message, isWarning: false };
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'the file or folder does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'it could not be read: permission denied';
  return `it could not be read (${code ?? String(error)})`;
}

/** A part of a file that could not be read; a warning is about a minor one. */
export interface ImportProblem extends Problem {
  readonly isWarning: boolean;
}

const mostPerFile = 50;

/** Problems of an import: the first ones of each file, and the number of all. */
export class ImportProblems {
  readonly #perFile = new Map<string, number>();
  readonly #refused = new Set<string>();
  readonly #list: ImportProblem[] = [];
  #problems = 0;
  #warnings = 0;

  /** Drops problems: for reading files a second time. */
  static readonly ignored: Pick<ImportProblems, 'add'> = { add: () => undefined };

  add(problem: ImportProblem): void {
    if (problem.isWarning) this.#warnings++;
    else {
      this.#problems++;
      this.#refused.add(problem.at.file);
    }
    const count = (this.#perFile.get(problem.at.file) ?? 0) + 1;
    this.#perFile.set(problem.at.file, count);
    if (count <= mostPerFile) this.#list.push(problem);
  }

  /** Whether a part of the file could not be read. */
  isRefused(file: string): boolean {
    return this.#refused.has(file);
  }

  /** A limited number per file. */
  get list(): readonly ImportProblem[] {
    return this.#list;
  }

  get problemCount(): number {
    return this.#problems;
  }

  get unlistedCount(): number {
    return this.#problems + this.#warnings - this.#list.length;
  }
}

/** A problem of a file as a whole. */
export function problemIn({ file }: { readonly file: string }, message: string, isWarning: boolean): ImportProblem {
  return { at: { file, line: 1, column: 1 }, message, isWarning };
}
