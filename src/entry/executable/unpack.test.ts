import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { type Manifest, unpackOnce } from './unpack.ts';

const contents = { 'bin/assay.js': 'start();', 'dist/web/index.html': '<title>Assay</title>', empty: '' };
const packed = gzipSync(Object.values(contents).join(''));

const manifest: Manifest = {
  version: '1.2.3',
  folder: '1.2.3-abc',
  sha256: createHash('sha256').update(packed).digest('hex'),
  files: Object.entries(contents).map(([path, text]) => ({ path, bytes: text.length })),
};

/** Unpacks, and says how often the packed files were needed. */
function unpack(places: readonly string[], from = manifest): { folder: string; reads: number } {
  let reads = 0;
  const folder = unpackOnce(
    from,
    () => {
      reads++;
      return packed;
    },
    places,
  );
  return { folder, reads };
}

function expectComplete(folder: string): void {
  for (const [path, text] of Object.entries(contents)) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
}

it('unpacks at the first start only, for this user only, and leaves nothing else behind', async () => {
  const place = join(await temporaryFolder(), 'cache', 'assay');
  const first = unpack([place]);
  expect(first).toEqual({ folder: join(place, '1.2.3-abc'), reads: 1 });
  expectComplete(first.folder);
  expect(unpack([place])).toEqual({ ...first, reads: 0 });
  expect(readdirSync(place)).toEqual(['1.2.3-abc']);
  expect(statSync(first.folder).mode & 0o777).toBe(0o700);
});

it.each<[string, (folder: string) => void]>([
  ['a file is missing', (folder) => unlinkSync(join(folder, 'bin/assay.js'))],
  ['a file has another size', (folder) => writeFileSync(join(folder, 'bin/assay.js'), 'half')],
  ['a file of the same size was changed', (folder) => overwrite(join(folder, 'bin/assay.js'), 'other();')],
  ['a file became a link', (folder) => replaceByLink(join(folder, 'bin/assay.js'))],
  ['it was not finished', (folder) => unlinkSync(join(folder, '.unpacked'))],
  ['others could write to it', (folder) => chmodSync(folder, 0o777)],
])('unpacks again when %s', async (_, damage) => {
  const place = await temporaryFolder();
  const { folder } = unpack([place]);
  damage(folder);
  expect(unpack([place])).toEqual({ folder, reads: 1 });
  expectComplete(folder);
  expect(readdirSync(place)).toEqual(['1.2.3-abc']);
});

it('takes the files of another process that was faster', async () => {
  const place = await temporaryFolder();
  let other: string | undefined;
  const folder = unpackOnce(manifest, () => {
    other = unpack([place]).folder;
    utimesSync(join(other, 'empty'), 1, 1);
    return packed;
  }, [place]);
  expect(folder).toBe(other);
  expect(statSync(join(folder, 'empty')).mtimeMs).toBe(1_000);
  expect(readdirSync(place)).toEqual(['1.2.3-abc']);
});

it('removes what processes left that were killed a day ago, and not what others write now', async () => {
  const place = await temporaryFolder({ '.unpacking-old/x': '', '.unpacking-new/x': '' });
  utimesSync(join(place, '.unpacking-old'), 1, 1);
  unpack([place]);
  expect(readdirSync(place).sort()).toEqual(['.unpacking-new', '1.2.3-abc']);
});

it('goes to the next place where one cannot be used, and says why none can', async () => {
  const folder = await temporaryFolder({ file: '' });
  const [open, link, good] = ['open', 'link', 'good'].map((name) => join(folder, name)) as [string, string, string];
  mkdirSync(open);
  chmodSync(open, 0o777);
  symlinkSync(open, link);
  const bad = [join(folder, 'file'), open, link];
  expect(unpack([...bad, good]).folder).toBe(join(good, '1.2.3-abc'));
  expect(() => unpack(bad)).toThrow(/file: EEXIST.*open: other users can write to it.*link: it is not a folder/);
  expect(readdirSync(open)).toEqual([]);
});

it('refuses files whose checksum does not match', async () => {
  const place = await temporaryFolder();
  expect(() => unpack([place], { ...manifest, sha256: '0'.repeat(64) })).toThrow(
    'the executable is damaged: the checksum of its files does not match',
  );
  expect(existsSync(join(place, '1.2.3-abc'))).toBe(false);
});

/** A changed file is known by its time, here clearly after that of the stamp. */
function overwrite(file: string, text: string): void {
  writeFileSync(file, text);
  const later = Date.now() / 1_000 + 60;
  utimesSync(file, later, later);
}

function replaceByLink(file: string): void {
  unlinkSync(file);
  symlinkSync('/etc/hostname', file);
}
