import { mkdir, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RecordedTool } from '../../testing/fakes/recorder/recorded-tool.ts';
import { shShim } from '../interposer/sh-shim.ts';

describe('a recorder whose shims write files', () => {
  const shim = shShim;

  it('counts junk on its channel', async () => {
    await using tool = await RecordedTool.open(shim);
    await tool.run('tool true');
    await writeFile(join(tool.callsFolder, 'note.txt'), 'junk');
    await writeFile(join(tool.callsFolder, 'a.s'), 'junk');
    await writeFile(join(tool.callsFolder, 'b.e'), '1\0exit\0');
    await writeFile(join(tool.callsFolder, 'c.s'), '');
    await truncate(join(tool.callsFolder, 'c.s'), 1e12);
    await mkdir(join(tool.callsFolder, 'd.e'));
    await symlink('/dev/zero', join(tool.callsFolder, 'e.s'));
    await tool.run(`mkfifo ${join(tool.callsFolder, 'f.e')}`);
    await writeFile(join(tool.folder, 'elsewhere'), '1\x000\x001\0/\0tool\0');
    await symlink(join(tool.folder, 'elsewhere'), join(tool.callsFolder, 'g.s'));
    await tool.recorder.finish();
    expect(tool.invocations).toHaveLength(1);
    expect(tool.recorder.problems).toContain('8 unexpected files were found in the folder of the recorder');
  });

  it('lets the tool work when its folder is gone', async () => {
    await using tool = await RecordedTool.open(shim);
    await rm(tool.callsFolder, { recursive: true });
    expect(await tool.run(`tool sh -c 'echo works; exit 3'`)).toMatchObject({
      exitCode: 3,
      stdout: 'works\n',
      stderr: '',
    });
    await tool.recorder.finish();
    expect(tool.recorder.doubts).toContain('another process removed or filled the folder of the recorder');
  });

  it('removes nothing where its folder was replaced by a link', async () => {
    await using tool = await RecordedTool.open(shim);
    const elsewhere = join(tool.folder, 'elsewhere');
    await mkdir(elsewhere);
    await writeFile(join(elsewhere, 'source.s'), 'mov r0, r1');
    await rm(tool.callsFolder, { recursive: true });
    await symlink(elsewhere, tool.callsFolder);
    await tool.run('tool true');
    await tool.recorder.finish();
    expect(await readdir(elsewhere)).toContain('source.s');
    expect(tool.recorder.doubts).toContain('another process removed or filled the folder of the recorder');
  });

  it('lets the tool work when its folder is a file, or cannot be written', async () => {
    await using tool = await RecordedTool.open(shim);
    await rm(tool.callsFolder, { recursive: true });
    await writeFile(tool.callsFolder, '');
    expect(await tool.run('tool echo works')).toMatchObject({ exitCode: 0, stdout: 'works\n', stderr: '' });
  });

  it('says when the shim was changed', async () => {
    await using tool = await RecordedTool.open(shim);
    await rm(tool.path);
    await symlink('/dev/zero', tool.path);
    await tool.recorder.finish();
    expect(tool.recorder.doubts.join()).toContain('the shim in front of the tool was changed or removed');
  });
});
