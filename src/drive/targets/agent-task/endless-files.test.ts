import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/support/temporary-folder.ts';
import { endlessFile } from './endless-files.ts';

describe('a file for which a grader waits without end', () => {
  it.each([
    ['a named pipe', 'mkdir sub; mkfifo sub/wanted', 'sub/wanted'],
    ['a link to a device', 'ln -s /dev/zero wanted', 'wanted'],
    ['an empty file of 1099511627776 bytes', 'truncate -s 1T wanted', 'wanted'],
  ])('is %s', async (kind, script, name) => {
    const folder = await temporaryFolder({ 'README.md': 'text' });
    execFileSync('sh', ['-c', script], { cwd: folder });
    const error = endlessFile(folder);
    expect(error).toMatchObject({ code: 'GRADER_CHANGED', blame: 'agent' });
    expect(error?.message).toContain(`${kind} in its work: ${name}.`);
  });

  it('is not a file, a folder or a link to one', async () => {
    const folder = await temporaryFolder({ 'sub/README.md': 'text' });
    execFileSync('sh', ['-c', 'ln -s sub/README.md link; ln -s sub folder; ln -s nowhere dangling; : > empty'], {
      cwd: folder,
    });
    expect(endlessFile(folder)).toBeUndefined();
  });
});
