import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { failures } from './failures.ts';

const documentSchema = z.object({
  name: z.string(),
  type: z.string(),
  owner: z.string(),
  /** The content hash of the current version; absent while nothing has been stored. */
  storageId: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** The number of commits so far. */
  revision: z.int().nonnegative(),
});

const indexSchema = z.record(z.string(), documentSchema);

/** Entry of one document in the index. */
export type IndexedDocument = z.infer<typeof documentSchema>;

/** All documents of a storage folder by their id. */
export type StorageIndex = Record<string, IndexedDocument>;

/** Where the index of a storage folder is. */
export function indexPath(folder: string): string {
  return join(folder, 'index.json');
}

/** Reads and checks the index of a storage folder. */
export async function readIndex(folder: string): Promise<StorageIndex> {
  const source = await readFile(indexPath(folder), 'utf8');
  const parsed = indexSchema.safeParse(parseJson(source));
  if (!parsed.success) throw failures.indexDamaged(z.prettifyError(parsed.error));
  return parsed.data;
}

function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch (cause) {
    throw failures.indexDamaged(cause);
  }
}

/** Looks up one document. */
export function findDocument(index: StorageIndex, documentId: string): IndexedDocument {
  const document = Object.hasOwn(index, documentId) ? index[documentId] : undefined;
  if (document === undefined) throw failures.fileNotFound();
  return document;
}
