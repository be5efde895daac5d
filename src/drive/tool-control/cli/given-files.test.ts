import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/support/temporary-folder.ts';
import { TapeWords } from '../../tape/tape-words.ts';
import { givenFiles } from './given-files.ts';

describe('files in the arguments of a call', () => {
  it.each([
    ['small', 10],
    ['large', 21_000_000],
  ])('are compared whatever their size: %s', async (_, bytes) => {
    const cwd = await temporaryFolder({});
    const words = new TapeWords({ work: cwd }, (text) => text);
    const given = () =>
      givenFiles({ argv: ['cat', 'data.bin', `--from=data.bin`, 'folder', 'gone'], cwd }, [cwd], words);
    await mkdir(join(cwd, 'folder'));
    await writeFile(join(cwd, 'data.bin'), Buffer.alloc(bytes, 'x'));
    const before = given();
    expect(Object.keys(before)).toEqual(['data.bin']);
    expect(given()).toEqual(before);
    await appendFile(join(cwd, 'data.bin'), 'y');
    expect(given()['data.bin']).not.toBe(before['data.bin']);
  });
});
