import { lstatSync, type Stats } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import { pullConcurrently } from '../../shared/async.ts';
import { sha256 } from '../../shared/ids.ts';
import { chunkBytes, chunkIdOf, chunksOf } from './chunks.ts';
import { walkFiles } from './list-files.ts';
import { entryProblem, linkProblem, pathProblem } from './safe-paths.ts';

const chunkIdSchema = z.string().regex(/^[0-9a-f]{64}$/);

const fileSchema = z.strictObject({
  type: z.literal('file'),
  path: z.string(),
  byteCount: z.int().min(0),
  isExecutable: z.boolean(),
  chunks: z.array(chunkIdSchema).describe('SHA-256 of each piece, in order'),
});
const linkSchema = z.strictObject({ type: z.literal('link'), path: z.string(), target: z.string() });
const folderSchema = z.strictObject({ type: z.literal('folder'), path: z.string() }).describe('an empty folder');

const manifestSchema = z.strictObject({
  version: z.literal(1),
  entries: z.array(z.discriminatedUnion('type', [fileSchema, linkSchema, folderSchema])),
});

export type FileEntry = z.infer<typeof fileSchema>;
/** A file, a symbolic link or an empty folder; paths are relative, with `/`. */
export type ManifestEntry = z.infer<typeof manifestSchema>['entries'][number];

/** Files that belong together; the id is the SHA-256 of the text, so the same files always have the same id. */
export interface Manifest {
  readonly setId: string;
  readonly text: string;
  readonly entries: readonly ManifestEntry[];
}

/** The list of these entries, whatever order they were found in. */
export function manifestOf(entries: readonly ManifestEntry[]): Manifest {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const sorted = [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1)).map(inOneOrder);
  const text = JSON.stringify({ version: 1, entries: sorted });
  return { setId: sha256(text), text, entries: sorted };
}

/** Reads a list that came from elsewhere; nothing in it may lead out of the folder that it is unpacked into. */
export function readManifest(setId: string, text: string): Manifest {
  if (sha256(text) !== setId) throw damaged(setId, 'its bytes changed after they were written');
  const parsed = manifestSchema.safeParse(parseJson(text));
  if (!parsed.success) throw damaged(setId, 'this version cannot read it');
  const { entries } = parsed.data;
  const problem = entryProblem(entries) ?? sizeProblem(entries);
  if (problem !== undefined) throw damaged(setId, problem);
  return { setId, text, entries };
}

/** Every chunk that the entries name, once. */
export function chunkIdsOf(entries: readonly ManifestEntry[]): string[] {
  return [...new Set(entries.flatMap((entry) => (entry.type === 'file' ? entry.chunks : [])))];
}

function inOneOrder(entry: ManifestEntry): ManifestEntry {
  if (entry.type === 'folder') return { type: entry.type, path: entry.path };
  if (entry.type === 'link') return { type: entry.type, path: entry.path, target: entry.target };
  const { type, path, byteCount, isExecutable, chunks } = entry;
  return { type, path, byteCount, isExecutable, chunks };
}

function sizeProblem(entries: readonly ManifestEntry[]): string | undefined {
  const wrong = entries.find(
    (entry) => entry.type === 'file' && entry.chunks.length !== Math.ceil(entry.byteCount / chunkBytes),
  );
  return wrong && `the size of ${JSON.stringify(wrong.path)} does not fit its pieces`;
}

function damaged(setId: string, why: string): AssayError {
  return new AssayError('STORE_CORRUPT', `The list of files ${setId.slice(0, 12)} cannot be used: ${why}.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const filesAtATime = 8;

/** A file that cannot travel, and why. */
export interface FileProblem {
  readonly path: string;
  readonly reason: string;
}

/** Files of a folder as manifest entries. */
interface DescribedFiles {
  readonly entries: readonly ManifestEntry[];
  readonly problems: readonly FileProblem[];
}

/** Reads the given files once; files that cannot be stored are reported, deleted ones are left out. */
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
  if (!found.isFile()) return { reason: 'is not a regular file' };
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
    if (search.finds(chunk)) return { reason: 'contains the value of a secret' };
  }
  return [{ type: 'file', path, byteCount, isExecutable: (found.mode & 0o100) !== 0, chunks }];
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read: permission is denied';
  if (code === 'ENOENT') return 'was removed while it was read';
  return `cannot be read: ${message}`;
}

/** Looks for known secret values in the bytes of files. */
export interface SecretSearch {
  /** For one file, whose pieces are given in order. */
  begin(): { finds(chunk: Buffer): boolean };
}
