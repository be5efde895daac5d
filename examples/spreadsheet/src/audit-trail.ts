import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { operationSchema } from './arguments.ts';
import { failures } from './failures.ts';
import { findDocument, readIndex } from './storage-index.ts';

const auditEntrySchema = z.object({
  time: z.iso.datetime(),
  documentId: z.string(),
  /** The document's commits are numbered from 1. */
  revision: z.int().positive(),
  userId: z.string().optional(),
  fromStorageId: z.string(),
  toStorageId: z.string(),
  operations: z.array(operationSchema),
  changes: z.array(z.object({ row: z.int(), col: z.int(), originalValue: z.string(), newValue: z.string() })),
});

/** Who changed what in one commit. */
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** Adds an entry durably; it counts once the index has reached its revision. */
export async function appendAudit(folder: string, entry: AuditEntry): Promise<void> {
  const handle = await open(auditPath(folder), 'a');
  try {
    // The line break comes first, so a line torn by a crash cannot swallow this one.
    const { size } = await handle.stat();
    await handle.appendFile(`${size === 0 ? '' : '\n'}${JSON.stringify(entry)}`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The commits of a document, oldest first; entries of commits that never took effect are left out. */
export async function readAudit(folder: string, documentId: string): Promise<AuditEntry[]> {
  // The index is read first: whatever it says has been committed already has its entry.
  const { revision } = findDocument(await readIndex(folder), documentId);
  if (revision === 0) return [];
  const lastOfRevision = new Map<number, AuditEntry>();
  for await (const entry of auditEntries(folder)) {
    if (entry.documentId === documentId) lastOfRevision.set(entry.revision, entry);
  }
  return Array.from({ length: revision }, (_, index) => {
    const entry = lastOfRevision.get(index + 1);
    if (entry === undefined) throw failures.auditIncomplete(documentId, index + 1);
    return entry;
  });
}

async function* auditEntries(folder: string): AsyncGenerator<AuditEntry> {
  const handle = await open(auditPath(folder));
  for await (const line of handle.readLines()) {
    const entry = parseEntry(line);
    if (entry !== undefined) yield entry;
  }
}

/** A line that cannot be read was torn before its commit took effect, or else its revision will be missed. */
function parseEntry(line: string): AuditEntry | undefined {
  try {
    return auditEntrySchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function auditPath(folder: string): string {
  return join(folder, 'audit.jsonl');
}
