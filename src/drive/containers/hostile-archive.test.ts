import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { copySafely } from './safe-archive.ts';

const inPax = (from: string, file: string) => execFileSync('tar', ['--format=pax', '-cf', file, '-C', from, 'work']);
const listed = (file: string) => execFileSync('tar', ['-tvf', file, '--quoting-style=c'], { encoding: 'utf8' });

/** Too long for the first form of a header, so it stands in a record behind it. */
const long = 'x'.repeat(150);
const pieces = fc.constantFrom('\n', '18 linkpath=ok', '9 size=0', '12 path=ok', ' ', '=', 'é', '7', 'a');

describe('an archive of what an agent left', () => {
  it('loses every link that leads out, whatever is in its name', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 6 }), async (words) => {
        const folder = await temporaryFolder();
        const name = `${words.join('').slice(0, 60)}${long}`.slice(0, 200);
        mkdirSync(join(folder, 'work'));
        writeFileSync(join(folder, 'work/plain'), 'kept');
        symlinkSync('/tests/expected.txt', join(folder, 'work', name));
        inPax(folder, join(folder, 'all.tar'));
        expect(copySafely(join(folder, 'all.tar'), join(folder, 'safe.tar'))).toEqual([`work/${name}`]);
        expect(listed(join(folder, 'safe.tar'))).not.toContain('expected.txt');
        expect(listed(join(folder, 'safe.tar'))).toContain('work/plain');
      }),
      { numRuns: 40, examples: [[['\n', '18 linkpath=ok', '\n']]] },
    );
  });

  it('with a damaged header is refused', async () => {
    const folder = await temporaryFolder({ 'work/plain': 'kept' });
    const file = join(folder, 'all.tar');
    execFileSync('tar', ['--format=ustar', '-cf', file, '-C', folder, 'work/plain']);
    const bytes = execFileSync('cat', [file]);
    bytes.write('no number!!', 124);
    writeFileSync(file, bytes);
    expect(() => copySafely(file, join(folder, 'safe.tar'))).toThrow('damaged');
  });
});
