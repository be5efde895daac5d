import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/support/temporary-folder.ts';
import { gitPrograms } from './git-programs.ts';

const git = (cwd: string, ...args: string[]): void => void execFileSync('git', args, { cwd, stdio: 'ignore' });

async function repository(): Promise<string> {
  const folder = await temporaryFolder();
  git(folder, 'init', '-q');
  return folder;
}

/** Names of settings, each after its file. */
const namesIn = (folder: string): string[] =>
  gitPrograms(folder).map(({ file, setting }) => `${file} ${setting.split('=', 1)}`);

describe('gitPrograms', () => {
  it('finds nothing in repositories as people and agents use them', async () => {
    const folder = await repository();
    const plain = {
      'user.name': 'A',
      'core.pager': 'cat',
      'core.hooksPath': '.husky',
      'alias.st': '!git status',
      'branch.main.remote': 'origin',
      'remote.origin.url': 'https://example.com/a.git',
      'merge.conflictStyle': 'diff3',
      'filter.lfs.clean': 'git-lfs clean -- %f',
      'filter.lfs.process': 'git-lfs filter-process',
      'filter.lfs.required': 'true',
    };
    for (const [key, value] of Object.entries(plain)) git(folder, 'config', key, value);
    git(folder, 'init', '-q', '--bare', 'bare.git');
    git(folder, 'init', '-q', '--separate-git-dir', join(folder, 'kept'), 'sub');
    expect(gitPrograms(folder)).toEqual([]);
  });

  it.each([
    'filter.x.clean',
    'diff.external',
    'diff.x.textconv',
    'diff.pager.command',
    'merge.x.driver',
    'include.path',
    'includeIf.gitdir:/.path',
    'credential.helper',
    'gpg.program',
    'core.alternateRefsCommand',
    'submodule.x.update',
    'remote.origin.uploadpack',
    'filter.lfs.smudge',
    'gc.recentObjectsHook',
    'init.templateDir',
  ])('finds %s, and any other setting that is not listed as plain', async (key) => {
    const folder = await repository();
    git(folder, 'config', key, 'sh cheat.sh');
    expect(namesIn(folder)).toHaveLength(1);
  });

  it.each([
    '[core] [filter "x"] clean = cheat',
    '\uFEFF[filter "a]b"]clean=cheat',
    '[FILTER.x]\r\n\tClean\t=\tcheat\r',
    '[ filter "x" ]\nclean',
    '[filter "x"]\nclean = cheat # \u2028 of a line, but not for Git',
  ])('reads the forms in which Git takes settings: %j', async (text) => {
    const folder = await repository();
    writeFileSync(join(folder, '.git/config'), `${text}\n`);
    expect(namesIn(folder)).toEqual([expect.stringMatching(/^\.git\/config filter\..*clean$/)]);
  });

  it('finds settings wherever a repository keeps them', async () => {
    const folder = await repository();
    for (const place of ['bare', 'deep/inside/repository', '.git/modules/sub']) {
      mkdirSync(join(folder, place), { recursive: true });
      git(folder, 'init', '-q', '--bare', place);
      git(join(folder, place), 'config', 'filter.x.clean', 'cheat');
    }
    mkdirSync(join(folder, 'shared/objects'), { recursive: true });
    mkdirSync(join(folder, 'shared/refs'));
    writeFileSync(join(folder, 'shared/config'), '[include]\npath = elsewhere\n');
    writeFileSync(join(folder, '.git/config.worktree'), '[diff]\nexternal = cheat\n');
    expect(namesIn(folder).sort()).toEqual([
      '.git/config.worktree diff.external',
      '.git/modules/sub/config filter.x.clean',
      'bare/config filter.x.clean',
      'deep/inside/repository/config filter.x.clean',
      'shared/config include.path',
    ]);
  });

  it('follows what leads to a folder that is not searched', async () => {
    const folder = await temporaryFolder();
    for (const [work, kept] of Object.entries({ one: 'node_modules/kept', two: 'bare/objects/kept' })) {
      git(folder, 'init', '-q', '--bare', 'bare');
      mkdirSync(join(folder, kept, '..'), { recursive: true });
      git(folder, 'init', '-q', '--separate-git-dir', join(folder, kept), work);
      git(join(folder, work), 'config', 'filter.x.clean', 'cheat');
      // The work tree looks like a repository itself.
      writeFileSync(join(folder, work, 'HEAD'), '');
    }
    expect(namesIn(folder).sort()).toEqual([
      'bare/objects/kept/config filter.x.clean',
      'node_modules/kept/config filter.x.clean',
    ]);
  });

  it('names folders that cannot be listed, as Git finds settings in them by name', async () => {
    const folder = await temporaryFolder();
    // A path that is too long for a program, but not for one that goes down step by step.
    const script = 'my $name = "a" x 200; for (1 .. 25) { mkdir $name and chdir $name or die }';
    execFileSync('perl', ['-e', script], { cwd: folder });
    const found = gitPrograms(folder);
    execFileSync('rm', ['-rf', ...readdirSync(folder)], { cwd: folder });
    expect(found).toEqual([{ file: expect.stringMatching(/^a+\//), setting: 'unreadable' }]);
  });

  it('does not follow what leads elsewhere, and names it', async () => {
    const [folder, outside] = [await temporaryFolder(), await repository()];
    writeFileSync(join(folder, '.git'), `gitdir: ${outside}/.git\n`);
    mkdirSync(join(folder, 'linked'));
    symlinkSync(join(outside, '.git'), join(folder, 'linked/.git'));
    mkdirSync(join(folder, 'pipe'));
    writeFileSync(join(folder, 'pipe/HEAD'), '');
    execFileSync('mkfifo', [join(folder, 'pipe/config')]);
    expect(namesIn(folder).sort()).toEqual(['.git gitdir', 'linked/.git unreadable', 'pipe/config unreadable']);
  });
});
