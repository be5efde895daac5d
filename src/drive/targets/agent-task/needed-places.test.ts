import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/support/temporary-folder.ts';
import { neededPlaces } from './needed-places.ts';

/** Whether each needed file lies in one of the visible places. */
const seesAll = (needed: readonly string[]) => async (places: readonly string[]) =>
  needed.every((file) => places.some((place) => place === '/' || file === place || file.startsWith(`${place}/`)));

it('finds the smallest files and folders that are enough, however many there are', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `data-${index}/inner/${index}.txt`);
  const folder = await temporaryFolder(Object.fromEntries(names.map((name) => [name, ''])));
  const needed = ['data-3/inner/3.txt', 'data-31/inner/31.txt'].map((name) => join(folder, name));
  let attempts = 0;
  const works = seesAll(needed);
  const found = await neededPlaces((places) => {
    attempts++;
    return works(places);
  });
  expect(found.sort()).toEqual(needed.sort());
  expect(attempts).toBeLessThan(120);
});

it('keeps a folder whole that is needed as such', async () => {
  const folder = await temporaryFolder({ 'plugins/one.txt': '', 'other.txt': '' });
  const plugins = join(folder, 'plugins');
  expect(await neededPlaces(seesAll([plugins]))).toEqual([plugins]);
});
