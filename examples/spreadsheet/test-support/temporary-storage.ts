import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { indexPath, readIndex, type StorageIndex } from '../src/storage-index.ts';
import { writeVersion } from '../src/versions.ts';
import { withStorage } from '../src/with-storage.ts';

/** The fixture document and its owner. */
export const COMPANIES = {
  documentId: 'jx73n3c3ea8j5r3sa01zy5xq697n17j8',
  userId: 'k17f4ess745re511ckkcfqce697n16es',
};

/** A private folder for the running test, removed when it ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'spreadsheet-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A storage that holds the fixtures and lasts as long as the running test. */
export async function temporaryStorage(): Promise<string> {
  return withStorage(join(await temporaryFolder(), 'storage'), async (folder) => folder);
}

/** Adds a document to a storage. */
export async function addDocument(folder: string, documentId: string, type: string, bytes: Buffer): Promise<void> {
  const storageId = await writeVersion(folder, bytes, type);
  await putInIndex(folder, documentId, { name: `${documentId}.${type}`, type, owner: 'owner', storageId, revision: 0 });
}

/** Adds or replaces what the index of a storage says about a document. */
export async function putInIndex(folder: string, documentId: string, document: StorageIndex[string]): Promise<void> {
  const index = { ...(await readIndex(folder)), [documentId]: document };
  await writeFile(indexPath(folder), JSON.stringify(index));
}

/** The committed companies fixture. */
export async function companiesCsv(): Promise<Buffer> {
  return readFile(new URL('../fixtures/companies.csv', import.meta.url));
}
