import { realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { installationOf, packageFolderOf } from './installation.ts';

const program = { 'tool/bin/run.js': '', 'tool/lib/code.js': '' };

it('the folder of a package is found from a link to its program, and from a program outside of one it is not', async () => {
  const folder = realpathSync(await temporaryFolder({ ...program, 'tool/package.json': '{ "name": "tool" }' }));
  symlinkSync(join(folder, 'tool/bin/run.js'), join(folder, 'run'));
  expect(packageFolderOf(join(folder, 'run'))).toBe(join(folder, 'tool'));
  expect(packageFolderOf('/bin/sh')).toBeUndefined();
  expect(packageFolderOf('scripted')).toBeUndefined();
});

describe('the files that a program needs', () => {
  it.each([
    ['are its package', { 'tool/package.json': '{ "name": "tool" }' }, 'tool'],
    [
      'are its whole package, where a folder of it only says how its files are read',
      { 'tool/package.json': '{ "name": "tool" }', 'tool/bin/package.json': '{ "type": "commonjs" }' },
      'tool',
    ],
    [
      'are the nearest package, not one around it',
      { 'package.json': '{ "name": "all" }', 'tool/package.json': '{ "bin": "bin/run.js" }' },
      'tool',
    ],
    [
      'are the folder that says how its files are read, when no package is found',
      { 'tool/package.json': '{}' },
      'tool',
    ],
    ['are its package, whatever its manifest holds', { 'tool/package.json': 'not JSON' }, 'tool'],
    ['are its folder, when no manifest is found', {}, 'tool/bin'],
  ])('%s', async (_, manifests, expected) => {
    const folder = realpathSync(await temporaryFolder({ ...program, ...manifests }));
    const file = join(folder, 'tool/bin/run.js');
    const [own, first, ...others] = installationOf(file);
    expect([own, first]).toEqual([file, join(folder, expected)]);
    expect(others).not.toContain(folder);
  });
});
