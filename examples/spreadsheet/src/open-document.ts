import { failures } from './failures.ts';
import { type Sheet, sheetOpener } from './sheet.ts';
import { findDocument, type IndexedDocument, readIndex } from './storage-index.ts';
import { readVersion } from './versions.ts';

/** A document at one moment: what the index said, and the table of that version. */
export interface OpenDocument extends IndexedDocument {
  readonly storageId: string;
  readonly sheet: Sheet;
}

/** Reads the current version of a document, for its owner if a user is named. */
export async function openDocument(folder: string, documentId: string, userId?: string): Promise<OpenDocument> {
  const document = findDocument(await readIndex(folder), documentId);
  if (userId !== undefined && userId !== document.owner) throw failures.notAuthenticated();
  const { storageId, type } = document;
  if (storageId === undefined) throw failures.fileNotFound();
  const openSheet = sheetOpener(type);
  const sheet = await openSheet(await readVersion(folder, storageId, type));
  return { ...document, storageId, sheet };
}
