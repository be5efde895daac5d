import { chmod, mkdir, readdir, readFile, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../shared/ids.ts';
import { memoryFiles } from '../../testing/fakes/keep/memory-files.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { BundleCache } from './bundle-cache.ts';
import { compressed } from './chunks.ts';
import { describeFiles, type ManifestEntry, manifestOf } from './manifest.ts';
import { packBundle, secretSearch } from './pack-bundle.ts';
import { storeFiles } from './store-files.ts';
import { unpackFiles } from './unpack-files.ts';

const settings = { include: [], exclude: [], maxBytes: 10_000_000, secrets: [], env: process.env };

async function packed(files: Readonly<Record<string, string>>) {
  const memory = await memoryFiles();
  const { bundleId } = await packBundle(await temporaryFolder(files), settings, memory.stored);
  return { ...memory, bundleId };
}

describe('unpacking', () => {
  it('leaves nothing behind when a stored piece is damaged', async () => {
    const { stored, db, bundleId } = await packed({ 'a.txt': 'right', 'b.txt': 'other' });
    const wrong = await compressed(Buffer.from('wrong'));
    await db.updateTable('chunks').set({ body: wrong }).where('chunk_id', '=', sha256('right')).execute();
    const cache = await temporaryFolder();
    await expect(new BundleCache(cache, stored).open(bundleId)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    expect(await readdir(cache)).toEqual([]);
  });

  it('leaves nothing behind when a piece is missing', async () => {
    const { stored, db, bundleId } = await packed({ 'a.txt': 'a', 'b.txt': 'b' });
    await db.deleteFrom('chunks').where('chunk_id', '=', sha256('b')).execute();
    const cache = await temporaryFolder();
    await expect(new BundleCache(cache, stored).open(bundleId)).rejects.toThrow('is missing');
    expect(await readdir(cache)).toEqual([]);
  });

  it('says that a bundle is not there', async () => {
    const { stored } = await memoryFiles();
    const cache = new BundleCache(await temporaryFolder(), stored);
    await expect(cache.open('0'.repeat(64))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('says when the disk cannot take it', async () => {
    const { stored, bundleId } = await packed({ 'a.txt': 'a' });
    const folder = await temporaryFolder({ blocked: 'a file where a folder should be' });
    const manifest = await stored.readSet(bundleId);
    await expect(unpackFiles(manifest, join(folder, 'blocked/bundle'), stored)).rejects.toMatchObject({
      code: 'WORKSPACE_FAILED',
    });
  });

  it.each<[string, ManifestEntry[]]>([
    ['a path that leads out', [{ type: 'folder', path: '../outside' }]],
    ['an absolute path', [{ type: 'folder', path: '/tmp/outside' }]],
    ['a link that leads out', [{ type: 'link', path: 'a', target: '../../outside' }]],
    [
      'a file behind a link',
      [
        { type: 'link', path: 'a', target: 'b' },
        { type: 'file', path: 'a/x', byteCount: 0, isExecutable: false, chunks: [] },
      ],
    ],
    ['a size that does not fit', [{ type: 'file', path: 'a', byteCount: 1, isExecutable: false, chunks: [] }]],
  ])('refuses a list with %s', async (_, entries) => {
    const { stored } = await memoryFiles();
    const manifest = manifestOf(entries);
    await stored.addSet(manifest);
    const cache = await temporaryFolder();
    await expect(new BundleCache(cache, stored).open(manifest.setId)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    expect(await readdir(cache)).toEqual([]);
  });

  it('refuses a list that is not the one that was written', async () => {
    const { stored, db, bundleId } = await packed({ 'a.txt': 'a' });
    const manifest = await compressed(Buffer.from(manifestOf([{ type: 'folder', path: 'b' }]).text));
    await db.updateTable('file_sets').set({ manifest }).execute();
    await expect(stored.readSet(bundleId)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });
});

describe('the cache', () => {
  it('unpacks a bundle once, also for two that ask at the same time', async () => {
    const { stored, bundleId } = await packed({ 'a.txt': 'a' });
    const folder = await temporaryFolder();
    const [first, second] = await Promise.all([
      new BundleCache(folder, stored).open(bundleId),
      new BundleCache(folder, stored).open(bundleId),
    ]);
    expect(first).toBe(second);
    expect(await readdir(folder)).toEqual([bundleId]);
  });

  it.each<[string, (folder: string) => Promise<void>]>([
    ['changed', (folder) => writeFile(join(folder, 'a.txt'), 'b')],
    ['removed', (folder) => unlink(join(folder, 'a.txt'))],
    ['made executable', (folder) => chmod(join(folder, 'a.txt'), 0o755)],
    [
      'replaced by a link',
      async (folder) => {
        await unlink(join(folder, 'a.txt'));
        await symlink('c.txt', join(folder, 'a.txt'));
      },
    ],
  ])('does not use a folder in which a file was %s, and leaves it to those who work in it', async (_, change) => {
    const { stored, bundleId } = await packed({ 'a.txt': 'a', 'c.txt': 'a' });
    const folder = await temporaryFolder();
    const before = await new BundleCache(folder, stored).open(bundleId);
    await change(before);
    const after = await new BundleCache(folder, stored).open(bundleId);
    expect(after).not.toBe(before);
    expect(await readFile(join(after, 'a.txt'), 'utf8')).toBe('a');
    expect(await readdir(folder)).toHaveLength(2);
  });

  it('uses a folder in which trials left other files', async () => {
    const { stored, bundleId } = await packed({ 'a.txt': 'a' });
    const folder = await temporaryFolder();
    const before = await new BundleCache(folder, stored).open(bundleId);
    await mkdir(join(before, '.assay'));
    expect(await new BundleCache(folder, stored).open(bundleId)).toBe(before);
  });

  it('removes bundles that were not opened for a week, and nothing that is not its own', async () => {
    const { stored, bundleId } = await packed({ 'a.txt': 'a' });
    const folder = await temporaryFolder({ 'mine.txt': '', [`${'0'.repeat(64)}/old.txt`]: '' });
    const longAgo = new Date(Date.now() - 8 * 24 * 3_600_000);
    for (const name of ['mine.txt', '0'.repeat(64)]) await utimes(join(folder, name), longAgo, longAgo);
    await new BundleCache(folder, stored).open(bundleId);
    expect((await readdir(folder)).sort()).toEqual([bundleId, 'mine.txt'].sort());
  });
});

describe('a file that changes on its way', () => {
  it.each<[string, (path: string) => Promise<void>]>([
    ['changed', (path) => writeFile(path, 'other')],
    ['vanished', (path) => unlink(path)],
    ['changed', (path) => writeFile(path, '')],
  ])('%s: is named, and no list is stored', async (what, change) => {
    const { stored } = await memoryFiles();
    const folder = await temporaryFolder({ 'a.txt': 'first' });
    const manifest = manifestOf((await describeFiles(folder, ['a.txt'], secretSearch([]))).entries);
    await change(join(folder, 'a.txt'));
    await expect(storeFiles(folder, manifest, stored)).rejects.toThrow(
      `"a.txt" ${what === 'changed' ? 'was changed' : what}`,
    );
    await expect(stored.readSet(manifest.setId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
