import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { copySafely, excludedBy } from './safe-archive.ts';

/** A safe copy of an archive of files that a shell script makes. */
async function copied(script: string, excluded: readonly string[] = [], format = 'gnu') {
  const folder = await temporaryFolder();
  const [from, to] = [join(folder, 'from.tar'), join(folder, 'to.tar')];
  execFileSync('/bin/sh', ['-ec', `mkdir ${folder}/a; cd ${folder}/a; ${script}`]);
  execFileSync('tar', [`--format=${format}`, '-C', folder, '-cf', from, 'a']);
  const leftOut = copySafely(from, to, excludedBy(excluded));
  const names = execFileSync('tar', ['-tf', to], { encoding: 'utf8' }).trim().split('\n').sort();
  return { leftOut, names, to, read: (name: string) => execFileSync('tar', ['-xOf', to, name], { encoding: 'utf8' }) };
}

const long = `${'d'.repeat(90)}/${'e'.repeat(90)}`;

describe('an archive of files of an agent', () => {
  it.each(['gnu', 'posix', 'ustar'])(
    'in the format %s keeps files, folders and links that lead down',
    async (format) => {
      const { leftOut, names, read } = await copied(
        `mkdir -p b ${long}; echo 1 > b/x; ln -s x b/down; ln b/x b/y; echo 2 > ${long}/f; head -c 700 /dev/zero > b/zeros`,
        [],
        format,
      );
      expect(leftOut).toEqual([]);
      expect(names.map((name) => name.replace(/\/$/, ''))).toEqual(
        [
          'a',
          'a/b',
          'a/b/down',
          'a/b/x',
          'a/b/y',
          'a/b/zeros',
          `a/${'d'.repeat(90)}`,
          `a/${long}`,
          `a/${long}/f`,
        ].sort(),
      );
      expect([read('a/b/x'), read(`a/${long}/f`), read('a/b/zeros').length]).toEqual(['1\n', '2\n', 700]);
    },
  );

  it.each(['gnu', 'posix'])('in the format %s loses what leads out of it, and special files', async (format) => {
    const { leftOut, names } = await copied(
      `ln -s /etc/passwd absolute; ln -s ../../up up; ln -s ${long}/../.. long; ln -s /${long} farther; mkfifo pipe; echo 1 > kept`,
      [],
      format,
    );
    expect(leftOut.sort()).toEqual(['a/absolute', 'a/farther', 'a/long', 'a/pipe', 'a/up']);
    expect(names).toEqual(['a/', 'a/kept']);
  });

  it('loses what is excluded', async () => {
    const { names, leftOut } = await copied('mkdir n; echo 1 > n/x; echo 1 > b.log; echo 1 > blog', ['*.log', 'n']);
    expect([names, leftOut]).toEqual([['a/', 'a/blog'], []]);
  });

  it('that is cut off is not taken', async () => {
    const { to } = await copied('head -c 5000 /dev/zero > x');
    writeFileSync(`${to}.cut`, readFileSync(to).subarray(0, 2_000));
    expect(() => copySafely(`${to}.cut`, `${to}.copy`)).toThrow('cut off');
  });
});
