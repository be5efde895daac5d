import { lstatSync, type Stats } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pullConcurrently } from '../../shared/async.ts';
import { chunkIdOf, chunksOf } from './chunks.ts';
import { walkFiles } from './list-files.ts';
import type { ManifestEntry } from './manifest.ts';
import { linkProblem, pathProblem } from './safe-paths.ts';
import type { SecretSearch } from './secret-search.ts';

const filesAtATime = 8;

/** A file that cannot travel, and why. */
export interface FileProblem {
  readonly path: string;
  readonly reason: string;
}

/** What is in a folder, as a list of files holds it. */
export interface DescribedFiles {
  readonly entries: readonly ManifestEntry[];
  readonly problems: readonly FileProblem[];
}

/** Reads the given files once; what cannot travel is told, and what is gone is left out. */
export async function describeFiles(
  folder: string,
  paths: readonly string[],
  secrets: SecretSearch,
): Promise<DescribedFiles> {
  const entries: ManifestEntry[] = [];
  const problems: FileProblem[] = [];
  await pullConcurrently(each(paths), filesAtATime, async (path) => {
    const problem = pathProblem(path);
    if (problem !== undefined) problems.push({ path, reason: problem });
    else {
      const described = await describe(folder, path, secrets).catch((error: unknown) => ({ reason: reasonOf(error) }));
      if ('reason' in described) problems.push({ path, reason: described.reason });
      else entries.push(...described);
    }
  });
  return { entries, problems: problems.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

async function* each(paths: readonly string[]): AsyncGenerator<string, void> {
  yield* paths;
}

async function describe(
  folder: string,
  path: string,
  secrets: SecretSearch,
): Promise<ManifestEntry[] | { reason: string }> {
  const found = lstatSync(join(folder, path), { throwIfNoEntry: false });
  if (!found) return [];
  if (found.isSymbolicLink()) {
    const target = await readlink(join(folder, path));
    const reason = linkProblem({ path, target });
    return reason === undefined ? [{ type: 'link', path, target }] : { reason };
  }
  if (found.isDirectory()) return describeFolder(folder, path, secrets);
  if (!found.isFile()) return { reason: 'is no ordinary file' };
  return describeFile(folder, path, found, secrets);
}

/** An empty folder, or a repository inside of the repository, which Git lists as one entry. */
async function describeFolder(
  folder: string,
  path: string,
  secrets: SecretSearch,
): Promise<ManifestEntry[] | { reason: string }> {
  const inside = await walkFiles(folder, (_, name) => name === '.git' || name === 'node_modules', path);
  if (inside.paths.length === 0) return [];
  if (inside.paths[0] === path) return [{ type: 'folder', path }];
  const { entries, problems } = await describeFiles(folder, inside.paths, secrets);
  const [problem] = problems;
  return problem ? { reason: `holds ${JSON.stringify(problem.path)}, which ${problem.reason}` } : [...entries];
}

async function describeFile(
  folder: string,
  path: string,
  found: Stats,
  secrets: SecretSearch,
): Promise<ManifestEntry[] | { reason: string }> {
  const search = secrets.begin();
  const chunks: string[] = [];
  let byteCount = 0;
  for await (const chunk of chunksOf(join(folder, path), found.size)) {
    chunks.push(chunkIdOf(chunk));
    byteCount += chunk.length;
    if (search.finds(chunk)) return { reason: 'holds the value of a secret that is known here' };
  }
  return [{ type: 'file', path, byteCount, isExecutable: (found.mode & 0o100) !== 0, chunks }];
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read: permission is denied';
  if (code === 'ENOENT') return 'vanished while it was read';
  return `cannot be read: ${message}`;
}
