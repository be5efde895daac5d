import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../testing/support/temporary-folder.ts';
import { treeHash } from './content-hash.ts';

describe('the hash of a tree', () => {
  it('is the same for equal trees and differs for others', async () => {
    const name = fc.constantFrom('a', 'b', 'ab', 'c.txt', 'é', '-', ' ');
    const tree = fc.dictionary(name, fc.string({ maxLength: 4 }), { maxKeys: 4 });
    const root = await temporaryFolder();
    const shapeByHash = new Map<string, string>();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(tree, tree, async (files, inside) => {
        const folder = join(root, String(count++));
        await mkdir(join(folder, 'sub'), { recursive: true });
        for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
        for (const [file, content] of Object.entries(inside)) await writeFile(join(folder, 'sub', file), content);
        const shape = JSON.stringify([Object.entries(files).sort(), Object.entries(inside).sort()]);
        const hash = await treeHash(folder);
        expect(shapeByHash.get(hash) ?? shape).toBe(shape);
        expect([...shapeByHash].filter(([other, same]) => same === shape && other !== hash)).toEqual([]);
        shapeByHash.set(hash, shape);
      }),
      { seed: 7, numRuns: 150 },
    );
    expect(shapeByHash.size).toBeGreaterThan(100);
  });

  it('neither follows links nor opens pipes', async () => {
    const folder = await temporaryFolder({ 'a.txt': 'x' });
    await symlink('.', join(folder, 'loop'));
    await symlink('/dev/zero', join(folder, 'endless'));
    await symlink('nowhere', join(folder, 'dangling'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(await treeHash(folder)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('follows a link that is the tree itself', async () => {
    const folder = await temporaryFolder({ 'real/a.txt': 'x' });
    await symlink('real', join(folder, 'link'));
    expect(await treeHash(join(folder, 'link'))).toBe(await treeHash(join(folder, 'real')));
  });

  it('sees names that are no text', async () => {
    const folder = await temporaryFolder({ 'a.txt': 'x' });
    const before = await treeHash(folder);
    const odd = (byte: number) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([byte])]);
    await writeFile(odd(0xff), 'x');
    const one = await treeHash(folder);
    await writeFile(odd(0xfe), 'x');
    expect(new Set([before, one, await treeHash(folder)]).size).toBe(3);
  });

  it('gives up on a tree that is too large', async () => {
    const folder = await temporaryFolder({ a: '', b: '', c: '' });
    await expect(treeHash(folder, 3)).rejects.toThrow('it has more than 3 files and folders');
    expect(await treeHash(folder, 4)).toBe(await treeHash(folder));
  });

  it('distinguishes what lies beside a folder from what lies in it', async () => {
    const folder = await temporaryFolder({ 'x/b': '', 'y/a/b': '' });
    await mkdir(join(folder, 'x/a'));
    expect(await treeHash(join(folder, 'x'))).not.toBe(await treeHash(join(folder, 'y')));
  });

  it('sees the last byte of a large file', async () => {
    const bytes = new Uint8Array(3_000_000);
    const folder = await temporaryFolder({ large: bytes });
    const before = await treeHash(folder);
    bytes[bytes.length - 1] = 1;
    await writeFile(join(folder, 'large'), bytes);
    expect(await treeHash(folder)).not.toBe(before);
  });

  it('distinguishes a file from a folder and sees permissions of folders', async () => {
    const folder = await temporaryFolder({ 'x/a': '', 'y/a/b': '' });
    expect(await treeHash(join(folder, 'x'))).not.toBe(await treeHash(join(folder, 'y')));
    const before = await treeHash(folder);
    await chmod(join(folder, 'x'), 0o700);
    expect(await treeHash(folder)).not.toBe(before);
  });
});
