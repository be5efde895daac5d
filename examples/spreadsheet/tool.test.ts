import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { read, utils, write } from '@e965/xlsx';
import { describe, expect, it } from 'vitest';
import type { Operation } from './src/arguments.ts';
import { openCsvSheet } from './src/csv-sheet.ts';
import { SpreadsheetError } from './src/failures.ts';
import { openDocument } from './src/open-document.ts';
import { readIndex } from './src/storage-index.ts';
import { readVersion } from './src/versions.ts';
import {
  addDocument,
  COMPANIES,
  companiesCsv,
  putInIndex,
  temporaryStorage,
} from './test-support/temporary-storage.ts';
import { bulkUpdateSpreadsheet } from './tool.ts';

function setTier(value: string): Operation {
  return { type: 'updateColumn', columnName: 'AlreadyTalkingTier', value };
}

const commit = { dryRun: false, confirm: true };

describe('a dry run', () => {
  it('previews the first ten changed cells and counts them all', async () => {
    const result = await bulkUpdateSpreadsheet({ ...COMPANIES, operations: [setTier('High')], dryRun: true });
    expect(result).toEqual({
      dryRun: true,
      affectedRows: 13,
      changedCells: 10,
      preview: expect.arrayContaining([{ row: 0, col: 29, old: 'Medium', new: 'High' }]),
      message: 'DRY RUN: Would update 10 cells across 13 rows. Set dryRun=false and confirm=true to commit.',
      executionTime: expect.any(Number),
    });
    expect('preview' in result && result.preview.map(({ row }) => row)).toEqual([0, 1, 3, 5, 6, 7, 8, 9, 11, 12]);
  });

  it('is the default, and changes nothing in the storage', async () => {
    const storage = await temporaryStorage();
    const before = await readIndex(storage);
    const result = await bulkUpdateSpreadsheet({ ...COMPANIES, operations: [setTier('Very High')] }, { storage });
    expect(result).toMatchObject({ dryRun: true, changedCells: 13 });
    expect('preview' in result && result.preview).toHaveLength(10);
    expect(await readIndex(storage)).toEqual(before);
  });
});

describe('a commit', () => {
  it('stores the new version and returns its id', async () => {
    const storage = await temporaryStorage();
    const operations = [setTier('Very High')];
    const result = await bulkUpdateSpreadsheet({ ...COMPANIES, operations, ...commit }, { storage });
    const { storageId, sheet } = await openDocument(storage, COMPANIES.documentId);
    expect(result).toEqual({
      dryRun: false,
      committed: true,
      affectedRows: 13,
      changedCells: 13,
      newStorageId: storageId,
      message: 'Successfully updated 13 cells across 13 rows.',
      executionTime: expect.any(Number),
    });
    expect(new Set(sheet.rows.map((row) => row[29]))).toEqual(new Set(['Very High']));
  });

  it('without a named storage is not seen by the next call', async () => {
    await bulkUpdateSpreadsheet({ ...COMPANIES, operations: [setTier('High')], ...commit });
    const next = await bulkUpdateSpreadsheet({ ...COMPANIES, operations: [setTier('High')] });
    expect(next.changedCells).toBe(10);
  });

  it('loses no update when many callers try again until they succeed', async () => {
    const storage = await temporaryStorage();
    const columns = [5, 7, 9, 11, 13, 15];
    await Promise.all(
      columns.map(async (columnIndex) => {
        const operations: Operation[] = [{ type: 'updateColumn', columnIndex, value: `by ${columnIndex}` }];
        const attempt = async (): Promise<unknown> =>
          bulkUpdateSpreadsheet({ ...COMPANIES, operations, ...commit }, { storage }).catch((error: Error) => {
            if (error.message.startsWith('ConcurrentModification')) return attempt();
            throw error;
          });
        await attempt();
      }),
    );
    const { sheet, revision } = await openDocument(storage, COMPANIES.documentId);
    expect(revision).toBe(columns.length);
    expect(columns.map((col) => sheet.rows[0]?.[col])).toEqual(columns.map((col) => `by ${col}`));
  });
});

describe('an Excel document', () => {
  it('is updated like a CSV one, and keeps its other sheets', async () => {
    const storage = await temporaryStorage();
    const companies = await openCsvSheet(await companiesCsv());
    const book = utils.book_new();
    utils.book_append_sheet(book, utils.aoa_to_sheet([[...companies.headers], ...companies.rows.map((r) => [...r])]));
    utils.book_append_sheet(book, utils.aoa_to_sheet([['kept']]), 'Notes');
    await addDocument(storage, 'workbook', 'xlsx', write(book, { type: 'buffer', bookType: 'xlsx' }));

    const request = { documentId: 'workbook', operations: [setTier('High')] };
    expect(await bulkUpdateSpreadsheet(request, { storage })).toMatchObject({ affectedRows: 13, changedCells: 10 });
    const result = await bulkUpdateSpreadsheet({ ...request, ...commit }, { storage });
    expect(result.message).toBe('Successfully updated 10 cells across 13 rows.');

    const { storageId, sheet } = await openDocument(storage, 'workbook');
    expect(sheet.rows).toEqual(companies.rows.map((row) => row.with(29, 'High')));
    expect(read(await readVersion(storage, storageId, 'xlsx')).Sheets.Notes?.A1?.v).toBe('kept');
  });
});

describe('errors', () => {
  const operations = [setTier('High')];

  async function failure(storage: string, documentId: string, userId?: string): Promise<unknown> {
    return bulkUpdateSpreadsheet({ documentId, userId, operations }, { storage }).catch((error) => error);
  }

  it('an unknown document, or one without content, is not found', async () => {
    const storage = await temporaryStorage();
    await putInIndex(storage, 'hollow', { name: 'hollow.csv', type: 'csv', owner: 'owner', revision: 0 });
    const notFound = new SpreadsheetError('File not found or no storage URL');
    expect(await failure(storage, 'missing')).toEqual(notFound);
    expect(await failure(storage, 'constructor')).toEqual(notFound);
    expect(await failure(storage, 'hollow')).toEqual(notFound);
  });

  it('a user who is not the owner is refused', async () => {
    const storage = await temporaryStorage();
    const refused = new SpreadsheetError('Not authenticated');
    expect(await failure(storage, COMPANIES.documentId, 'someone else')).toEqual(refused);
    expect(await failure(storage, COMPANIES.documentId, '')).toEqual(refused);
  });

  it('a type other than CSV and Excel is refused', async () => {
    const storage = await temporaryStorage();
    await addDocument(storage, 'paper', 'pdf', Buffer.from('%PDF'));
    expect(await failure(storage, 'paper')).toEqual(
      new SpreadsheetError('Unsupported file type: pdf. Only CSV and Excel are supported.'),
    );
  });

  it('a version that is gone or was altered cannot be downloaded', async () => {
    const storage = await temporaryStorage();
    const { storageId } = await openDocument(storage, COMPANIES.documentId);
    const path = join(storage, 'versions', `${storageId}.csv`);
    await writeFile(path, 'Company\nForged\n');
    expect(await failure(storage, COMPANIES.documentId)).toEqual(
      new SpreadsheetError('Failed to download file: the content does not match its storage id'),
    );
    await rm(path);
    expect(String(await failure(storage, COMPANIES.documentId))).toContain('Failed to download file: ENOENT');
  });

  it('an empty or broken file is reported as such', async () => {
    const storage = await temporaryStorage();
    await addDocument(storage, 'empty', 'csv', Buffer.from(''));
    await addDocument(storage, 'broken', 'csv', Buffer.from('a,b\n1\n'));
    expect(await failure(storage, 'empty')).toEqual(new SpreadsheetError('CSV file is empty'));
    expect(String(await failure(storage, 'broken'))).toContain('CSV parsing error: Invalid Record Length');
  });

  it('an unknown column leaves no commit behind', async () => {
    const storage = await temporaryStorage();
    const unknown: Operation = { type: 'updateColumn', columnName: 'NonExistentColumn', value: 'Test' };
    const attempt = bulkUpdateSpreadsheet(
      { ...COMPANIES, operations: [setTier('High'), unknown], ...commit },
      { storage },
    );
    await expect(attempt).rejects.toThrow(new SpreadsheetError('Column "NonExistentColumn" not found in headers'));
    expect((await openDocument(storage, COMPANIES.documentId)).revision).toBe(0);
  });
});
