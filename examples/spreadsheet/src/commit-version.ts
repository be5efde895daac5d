import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type AuditEntry, appendAudit } from './audit-trail.ts';
import { failures, SpreadsheetError } from './failures.ts';
import { findDocument, indexPath, readIndex } from './storage-index.ts';
import { storageIdOf, syncFolder, writeVersion } from './versions.ts';

const LOCK_ATTEMPTS = 150;
const LOCK_RETRY_DELAY_MS = 20;

/** A new version of a document, and the version it was made from. */
export interface Commit extends Pick<AuditEntry, 'documentId' | 'userId' | 'fromStorageId' | 'operations' | 'changes'> {
  readonly bytes: Buffer;
}

/**
 * Makes the bytes the current version of the document and returns their storage id.
 *
 * The lock is the next index itself: created exclusively, filled last, and renamed over the old one, which is the
 * moment the commit takes effect. Whatever goes wrong before it leaves the old version current.
 */
export async function commitVersion(folder: string, commit: Commit): Promise<string> {
  const lockPath = `${indexPath(folder)}.lock`;
  const lock = await acquireLock(lockPath);
  try {
    const nextIndex = await prepareCommit(folder, commit);
    await lock.writeFile(nextIndex);
    await lock.sync();
    await lock.close();
    await rename(lockPath, indexPath(folder));
  } catch (cause) {
    await lock.close();
    await rm(lockPath, { force: true });
    throw cause instanceof SpreadsheetError ? cause : failures.upload(cause);
  }
  await syncFolder(folder);
  return storageIdOf(commit.bytes);
}

/** Stores the version and its audit entry, and returns the index that makes them count. */
async function prepareCommit(folder: string, { bytes, ...change }: Commit): Promise<string> {
  const index = await readIndex(folder);
  const document = findDocument(index, change.documentId);
  if (document.storageId !== change.fromStorageId) throw failures.changedMeanwhile(change.documentId);
  const storageId = await writeVersion(folder, bytes, document.type);
  const revision = document.revision + 1;
  await appendAudit(folder, { time: new Date().toISOString(), revision, toStorageId: storageId, ...change });
  return JSON.stringify({ ...index, [change.documentId]: { ...document, storageId, revision } }, null, 2);
}

async function acquireLock(lockPath: string): Promise<FileHandle> {
  for (let attempt = 1; attempt <= LOCK_ATTEMPTS; attempt += 1) {
    try {
      return await open(lockPath, 'wx');
    } catch (cause) {
      if (!isAlreadyThere(cause)) throw failures.upload(cause);
    }
    await delay(LOCK_RETRY_DELAY_MS);
  }
  throw failures.storageLocked(lockPath);
}

function isAlreadyThere(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
}
