import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import { sha256 } from '../../shared/ids.ts';
import { chunkBytes } from './chunks.ts';
import { entryProblem } from './safe-paths.ts';

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
  if (sha256(text) !== setId) throw damaged(setId, 'its bytes are not those that were written');
  const parsed = manifestSchema.safeParse(parseJson(text));
  if (!parsed.success) throw damaged(setId, 'it is none that this version reads');
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
