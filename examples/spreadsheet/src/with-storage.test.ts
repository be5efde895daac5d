import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { addDocument, COMPANIES, companiesCsv, temporaryFolder } from '../test-support/temporary-storage.ts';
import { SpreadsheetError } from './failures.ts';
import { openDocument } from './open-document.ts';
import { readIndex } from './storage-index.ts';
import { withStorage } from './with-storage.ts';

const use = async (folder: string) => folder;

describe('without a folder', () => {
  it('gives every call a private copy of the fixtures and removes it', async () => {
    const [first, second] = await Promise.all(
      ['first', 'second'].map((name) =>
        withStorage(undefined, async (folder) => {
          await addDocument(folder, name, 'csv', await companiesCsv());
          return { folder, documents: Object.keys(await readIndex(folder)) };
        }),
      ),
    );
    expect(first?.documents).toEqual([COMPANIES.documentId, 'first']);
    expect(second?.documents).toEqual([COMPANIES.documentId, 'second']);
    await expect(readdir(dirname(first?.folder ?? ''))).rejects.toThrow('ENOENT');
  });

  it('removes the copy when the work fails', async () => {
    let used = '';
    const failing = withStorage(undefined, async (folder) => {
      used = folder;
      throw new Error('stopped');
    });
    await expect(failing).rejects.toThrow('stopped');
    await expect(readdir(dirname(used))).rejects.toThrow('ENOENT');
  });

  it('uses SPREADSHEET_STORAGE if it is set', async () => {
    const folder = join(await temporaryFolder(), 'from-environment');
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('SPREADSHEET_STORAGE', folder);
    expect(await withStorage(undefined, use)).toBe(folder);
    vi.stubEnv('SPREADSHEET_STORAGE', '');
    expect(await withStorage(undefined, use)).not.toBe(folder);
  });
});

describe('with a folder', () => {
  it('fills a new one, its parents included, and keeps it', async () => {
    const folder = join(await temporaryFolder(), 'a', 'b');
    await withStorage(folder, use);
    expect((await openDocument(folder, COMPANIES.documentId)).sheet.rows).toHaveLength(13);
    await addDocument(folder, 'mine', 'csv', await companiesCsv());
    expect(Object.keys(await withStorage(folder, readIndex))).toContain('mine');
  });

  it('fills a new one once when many calls come together', async () => {
    const parent = await temporaryFolder();
    const folder = join(parent, 'storage');
    await Promise.all(Array.from({ length: 8 }, () => withStorage(folder, use)));
    expect(await readdir(parent)).toEqual(['storage']);
    expect((await openDocument(folder, COMPANIES.documentId)).revision).toBe(0);
  });

  it('does not write into a folder that is something else', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'diary.txt'), 'private');
    await expect(withStorage(folder, use)).rejects.toThrow(
      new SpreadsheetError(`${folder} is not a spreadsheet storage: it is not empty and has no index.json`),
    );
    expect(await readdir(folder)).toEqual(['diary.txt']);
  });

  it.each([
    ['{', /^Storage index is damaged: .*JSON/],
    [
      '{"d":{"name":"d.csv","type":"csv","owner":"o","storageId":"../../etc","revision":0}}',
      /is damaged: .*storageId/s,
    ],
  ])('reports an index that holds %s', async (source, message) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'index.json'), source);
    await expect(withStorage(folder, readIndex)).rejects.toThrow(message);
  });
});
