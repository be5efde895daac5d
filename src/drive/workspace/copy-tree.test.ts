import { readFileSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { copyTree } from './copy-tree.ts';

const skipsFolder = () => false;

it.runIf(process.platform === 'linux')('copies a file of a terabyte that takes no space, with its holes', async () => {
  const [from, to] = [await temporaryFolder({ large: 'begins' }), await temporaryFolder()];
  truncateSync(join(from, 'large'), 2 ** 40);
  await copyTree(from, to, { skipsFolder });
  const { size, blocks } = statSync(join(to, 'large'));
  expect([size, blocks < 1_000]).toEqual([2 ** 40, true]);
});

it('leaves links out where that is wanted', async () => {
  const [from, to] = [await temporaryFolder({ file: 'content' }), await temporaryFolder()];
  symlinkSync('/etc', join(from, 'link'));
  await copyTree(from, to, { skipsFolder, skipsLinks: true });
  expect(readFileSync(join(to, 'file'), 'utf8')).toBe('content');
  expect(statSync(join(to, 'link'), { throwIfNoEntry: false })).toBeUndefined();
});
