import { execFile, spawn } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { addDocument, COMPANIES, companiesCsv, temporaryStorage } from '../test-support/temporary-storage.ts';
import { readAudit } from './audit-trail.ts';
import { type Commit, commitVersion } from './commit-version.ts';
import { SpreadsheetError } from './failures.ts';
import { findDocument, indexPath, readIndex } from './storage-index.ts';
import { readVersion, storageIdOf } from './versions.ts';

const { documentId, userId } = COMPANIES;
const CLI = fileURLToPath(new URL('../bin/spreadsheet.mjs', import.meta.url));

async function newVersion(folder: string, text: string, id = documentId): Promise<Commit> {
  const { storageId = '' } = findDocument(await readIndex(folder), id);
  const operations: Commit['operations'] = [{ type: 'updateColumn', columnIndex: 0, value: text }];
  const changes = [{ row: 0, col: 0, originalValue: 'Anthropic', newValue: text }];
  return {
    documentId: id,
    userId,
    fromStorageId: storageId,
    operations,
    changes,
    bytes: Buffer.from(`Name\n${text}\n`),
  };
}

async function currentId(folder: string, id = documentId): Promise<string | undefined> {
  return findDocument(await readIndex(folder), id).storageId;
}

describe('a commit', () => {
  it('makes the new version current, keeps the old one and leaves nothing else behind', async () => {
    const folder = await temporaryStorage();
    const commit = await newVersion(folder, 'x');
    const storageId = await commitVersion(folder, commit);
    expect(storageId).toBe(storageIdOf(commit.bytes));
    expect(await currentId(folder)).toBe(storageId);
    expect(await readVersion(folder, commit.fromStorageId, 'csv')).toEqual(await companiesCsv());
    expect((await readdir(folder)).sort()).toEqual(['audit.jsonl', 'index.json', 'versions']);
    expect((await readdir(join(folder, 'versions'))).sort()).toEqual(
      [`${commit.fromStorageId}.csv`, `${storageId}.csv`].sort(),
    );
  });

  it('is refused when the document has changed since it was read', async () => {
    const folder = await temporaryStorage();
    const late = await newVersion(folder, 'late');
    const storageId = await commitVersion(folder, await newVersion(folder, 'early'));
    await expect(commitVersion(folder, late)).rejects.toThrow(
      new SpreadsheetError(
        `ConcurrentModification: document ${documentId} was changed by another commit. ` +
          'Nothing was written; try again',
      ),
    );
    expect(await currentId(folder)).toBe(storageId);
    expect(await readAudit(folder, documentId)).toHaveLength(1);
  });
});

describe('commits at once', () => {
  it('of one version: exactly one succeeds, the others get an error', async () => {
    const folder = await temporaryStorage();
    const commits = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((text) => newVersion(folder, text)));
    const outcomes = await Promise.allSettled(commits.map((commit) => commitVersion(folder, commit)));
    const stored = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
    expect(stored).toEqual([await currentId(folder)]);
    expect(refusals).toHaveLength(4);
    for (const refusal of refusals) expect(refusal).toContain('ConcurrentModification: ');
  });

  it('of different documents all succeed', async () => {
    const folder = await temporaryStorage();
    const ids = ['one', 'two', 'three', 'four'];
    for (const id of ids) await addDocument(folder, id, 'csv', await companiesCsv());
    const commits = await Promise.all(ids.map((id) => newVersion(folder, `new ${id}`, id)));
    const stored = await Promise.all(commits.map((commit) => commitVersion(folder, commit)));
    expect(await Promise.all(ids.map((id) => currentId(folder, id)))).toEqual(stored);
  });
});

describe('a commit that fails before the index is swapped', () => {
  it.each([
    ['the version cannot be stored', 'versions'],
    ['the audit trail cannot be written', 'audit.jsonl'],
  ])('because %s leaves the old version current and can be repeated', async (_, name) => {
    const folder = await temporaryStorage();
    const commit = await newVersion(folder, 'x');
    const obstacle = join(folder, name);
    await rm(obstacle, { recursive: true, force: true });
    await (name === 'versions' ? writeFile(obstacle, 'a file in the way') : mkdir(obstacle));

    await expect(commitVersion(folder, commit)).rejects.toThrow(/^Upload failed: (EEXIST|ENOTDIR|EISDIR)/);
    expect(await currentId(folder)).toBe(commit.fromStorageId);
    expect(await readAudit(folder, documentId)).toEqual([]);

    await rm(obstacle, { recursive: true });
    expect(await commitVersion(folder, commit)).toBe(await currentId(folder));
    expect(await readAudit(folder, documentId)).toHaveLength(1);
  });

  it.skipIf(process.platform === 'win32')('because its process is killed leaves the old version current', async () => {
    const folder = await temporaryStorage();
    const before = await readFile(indexPath(folder), 'utf8');
    // Opening a pipe without a reader blocks for good, so the process stands still between the lock and the swap.
    const pipe = join(folder, 'audit.jsonl');
    await promisify(execFile)('mkfifo', [pipe]);
    const child = spawn(process.execPath, [CLI, 'update', '--storage', folder]);
    const operations = [{ type: 'updateColumn', columnIndex: 0, value: 'x' }];
    child.stdin.end(JSON.stringify({ documentId, operations, dryRun: false, confirm: true }));
    const lockPath = `${indexPath(folder)}.lock`;
    await vi.waitFor(() => stat(lockPath), { timeout: 30_000 });
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
    await rm(pipe);

    expect(await readFile(indexPath(folder), 'utf8')).toBe(before);
    await expect(commitVersion(folder, await newVersion(folder, 'y'))).rejects.toThrow(
      new SpreadsheetError(
        `ConcurrentModification: another commit holds ${lockPath}. If no commit is running, remove that file`,
      ),
    );
    await rm(lockPath);
    expect(await commitVersion(folder, await newVersion(folder, 'y'))).toBe(await currentId(folder));
  });
});
