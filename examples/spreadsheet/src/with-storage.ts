import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { failures } from './failures.ts';
import { indexPath, type StorageIndex } from './storage-index.ts';
import { writeVersion } from './versions.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));

const templateSchema = z.record(z.string(), z.object({ file: z.string(), owner: z.string() }));

/**
 * Runs the work on a storage folder. A folder named here or in SPREADSHEET_STORAGE is kept, and filled from the
 * fixtures if it is new; otherwise the work gets a private one that is removed afterwards, so no call sees what
 * another one did.
 */
export async function withStorage<Result>(
  named: string | undefined,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = named ?? process.env.SPREADSHEET_STORAGE ?? '';
  if (folder !== '') return work(await prepareStorage(resolve(folder)));
  const privateFolder = await mkdtemp(join(tmpdir(), 'spreadsheet-'));
  try {
    return await work(await prepareStorage(join(privateFolder, 'storage')));
  } finally {
    await rm(privateFolder, { recursive: true, force: true });
  }
}

async function prepareStorage(folder: string): Promise<string> {
  if (await isStorage(folder)) return folder;
  const newFolder = `${folder}.${randomUUID()}.new`;
  await mkdir(dirname(folder), { recursive: true });
  try {
    await copyFixtures(newFolder);
    // Complete or not there: a folder cannot be renamed over one that another process has filled meanwhile.
    await rename(newFolder, folder);
  } catch (cause) {
    await rm(newFolder, { recursive: true, force: true });
    if (!(await isStorage(folder))) throw cause;
  }
  return folder;
}

async function isStorage(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((): string[] => []);
  if (names.length > 0 && !names.includes('index.json')) throw failures.notAStorage(folder);
  return names.length > 0;
}

async function copyFixtures(folder: string): Promise<void> {
  const template = templateSchema.parse(JSON.parse(await readFile(join(FIXTURES, 'documents.json'), 'utf8')));
  const index: StorageIndex = {};
  for (const [documentId, { file, owner }] of Object.entries(template)) {
    const type = extname(file).slice(1);
    const storageId = await writeVersion(folder, await readFile(join(FIXTURES, file)), type);
    index[documentId] = { name: file, type, owner, storageId, revision: 0 };
  }
  await writeFile(indexPath(folder), JSON.stringify(index, null, 2));
}
