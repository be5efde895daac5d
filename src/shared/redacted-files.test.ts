import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/support/temporary-folder.ts';
import { writeWhole } from './redacted-files.ts';
import { redactionOf } from './redaction/redaction.ts';

const asIs = redactionOf([]);

describe('a file that is written whole', () => {
  it('gets its folders, and replaces a link instead of following it', async () => {
    const folder = await temporaryFolder({ 'elsewhere.txt': 'safe' });
    await mkdir(join(folder, 'a'));
    await symlink(join(folder, 'elsewhere.txt'), join(folder, 'a', 'link.txt'));
    await writeWhole(join(folder, 'a', 'link.txt'), asIs('new'));
    await writeWhole(join(folder, 'b', 'c', 'deep.txt'), asIs('deep'));
    expect(await readFile(join(folder, 'a', 'link.txt'), 'utf8')).toBe('new');
    expect(await readFile(join(folder, 'elsewhere.txt'), 'utf8')).toBe('safe');
    expect(await readFile(join(folder, 'b', 'c', 'deep.txt'), 'utf8')).toBe('deep');
  });

  it('leaves nothing behind where it cannot be written', async () => {
    const folder = await temporaryFolder({});
    await mkdir(join(folder, 'taken'));
    await writeFile(join(folder, 'taken', 'inside.txt'), '');
    await expect(writeWhole(join(folder, 'taken'), asIs('text'))).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['taken']);
  });
});
