import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { ShimProbes } from './choose-shim.ts';
import { shShim } from './sh-shim.ts';

it('a machine is probed once, and all trials get the same shim', async (test) => {
  const folder = await temporaryFolder();
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  for (const path of [first, second]) await mkdir(path);
  const probes = new ShimProbes();
  const shim = await probes.choose(first);
  if (shim === shShim) test.skip();
  expect(await readdir(first)).toContain('probe');
  expect(await probes.choose(second)).toBe(shim);
  expect(await readdir(second)).toEqual([]);
});
