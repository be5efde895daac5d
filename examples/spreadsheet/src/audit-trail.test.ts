import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addDocument, COMPANIES, companiesCsv, temporaryStorage } from '../test-support/temporary-storage.ts';
import { bulkUpdateSpreadsheet } from '../tool.ts';
import { type AuditEntry, appendAudit, readAudit } from './audit-trail.ts';
import { SpreadsheetError } from './failures.ts';
import { findDocument, readIndex } from './storage-index.ts';

const { documentId, userId } = COMPANIES;

async function commitTier(storage: string, value: string, of = documentId): Promise<void> {
  const operations = [{ type: 'updateColumn' as const, columnName: 'AlreadyTalkingTier', value }];
  await bulkUpdateSpreadsheet({ documentId: of, operations, dryRun: false, confirm: true }, { storage });
}

async function tiersInAudit(storage: string): Promise<unknown[]> {
  return (await readAudit(storage, documentId)).map((entry) => entry.operations[0]?.value);
}

describe('the audit trail', () => {
  it('records who changed what, from which version to which', async () => {
    const storage = await temporaryStorage();
    const { storageId } = findDocument(await readIndex(storage), documentId);
    const operations = [{ type: 'updateColumn' as const, columnName: 'TotalScore', value: 42 }];
    const result = await bulkUpdateSpreadsheet(
      { documentId, userId, operations, dryRun: false, confirm: true },
      { storage },
    );
    const [entry] = await readAudit(storage, documentId);
    expect(entry).toMatchObject({ documentId, userId, revision: 1, fromStorageId: storageId, operations });
    expect(result).toMatchObject({ newStorageId: entry?.toStorageId, changedCells: entry?.changes.length });
    expect(entry?.changes[0]).toEqual({ row: 1, col: 31, originalValue: '39', newValue: '42' });
    expect(entry?.changes).toHaveLength(12);
  });

  it('keeps the documents apart and their commits in order, each starting where the last one ended', async () => {
    const storage = await temporaryStorage();
    await addDocument(storage, 'other', 'csv', await companiesCsv());
    await commitTier(storage, 'A');
    await commitTier(storage, 'other', 'other');
    await commitTier(storage, 'B');
    expect(await tiersInAudit(storage)).toEqual(['A', 'B']);
    const [first, second] = await readAudit(storage, documentId);
    expect(second?.fromStorageId).toBe(first?.toStorageId);
    expect(await readAudit(storage, 'other')).toHaveLength(1);
  });

  it('is empty for a document that was never changed, and refuses an unknown one', async () => {
    const storage = await temporaryStorage();
    expect(await readAudit(storage, documentId)).toEqual([]);
    await expect(readAudit(storage, 'missing')).rejects.toThrow(
      new SpreadsheetError('File not found or no storage URL'),
    );
  });
});

describe('after a crash', () => {
  it('an entry whose commit never took effect does not count', async () => {
    const storage = await temporaryStorage();
    await commitTier(storage, 'A');
    const [real] = await readAudit(storage, documentId);
    const phantom: AuditEntry = { ...(real as AuditEntry), revision: 2, operations: [{ type: 'filter' }] };
    await appendAudit(storage, phantom);
    expect(await tiersInAudit(storage)).toEqual(['A']);
    await commitTier(storage, 'B');
    expect(await tiersInAudit(storage)).toEqual(['A', 'B']);
  });

  it('a torn line does not swallow the next entry', async () => {
    const storage = await temporaryStorage();
    await commitTier(storage, 'A');
    await appendFile(join(storage, 'audit.jsonl'), '\n{"time":"2024-');
    await commitTier(storage, 'B');
    expect(await tiersInAudit(storage)).toEqual(['A', 'B']);
  });

  it('a lost entry is reported, not passed over', async () => {
    const storage = await temporaryStorage();
    await commitTier(storage, 'A');
    await commitTier(storage, 'B');
    const path = join(storage, 'audit.jsonl');
    const [, second = ''] = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, second);
    await expect(readAudit(storage, documentId)).rejects.toThrow(
      new SpreadsheetError(`Audit trail is damaged: revision 1 of document ${documentId} is missing`),
    );
  });
});
