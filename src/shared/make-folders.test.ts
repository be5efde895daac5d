import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/support/temporary-folder.ts';
import { makeFolders } from './make-folders.ts';

describe('folders that are made', () => {
  it('are made with those they lie in, and the first is named', async () => {
    const folder = await temporaryFolder();
    expect(makeFolders(join(folder, 'a/b/c'))).toBe(join(folder, 'a'));
    expect(statSync(join(folder, 'a/b/c')).isDirectory()).toBe(true);
    expect(makeFolders(join(folder, 'a/b/d'))).toBe(join(folder, 'a/b/d'));
    expect(makeFolders(join(folder, 'a/b/d'))).toBeUndefined();
  });

  it('are refused where a file is in the way', async () => {
    const folder = await temporaryFolder({ file: '' });
    expect(() => makeFolders(join(folder, 'file'))).toThrow('EEXIST');
    expect(() => makeFolders(join(folder, 'file/below'))).toThrow(/EEXIST|ENOTDIR/);
  });

  it.runIf(existsSync('/proc/self'))('are refused below /proc, where Node.js would try for ever', () => {
    expect(() => makeFolders('/proc/assay/store')).toThrow('ENOENT');
  });
});
