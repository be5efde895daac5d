import { execFileSync, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess } from '../../testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { readRunSource } from './run-source.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;
const scenario = 'name: One\ncall: { command: cat }\ninput: { n: 1 }\npassCriteria: [result.n === 1]\n';

describe.skipIf(!hasGit)('the commit of a run (left out without git)', () => {
  it('is that of the repository, with its author and whether files were changed', async () => {
    const folder = await temporaryFolder();
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
        cwd: folder,
        encoding: 'utf8',
      }).trim();
    await writeFile(join(folder, 'one.yaml'), scenario);
    git('init', '-q', '-b', 'trunk');
    expect(await readRunSource(folder, process.env)).toBeUndefined();
    git('add', '.');
    git('commit', '-q', '-m', 'first');
    const source = { commit: git('rev-parse', 'HEAD'), branch: 'trunk', author: 'Ada', isDirty: false };
    expect(await readRunSource(folder, process.env)).toEqual(source);
    await writeFile(join(folder, 'one.yaml'), `${scenario}# changed\n`);
    git('checkout', '-q', '--detach');
    await assayInProcess(['run', 'one.yaml', '-q', '--name', 'Mine'], { cwd: folder });
    const [run] = JSON.parse((await assayInProcess(['runs', '--json'], { cwd: folder })).stdout);
    expect(run).toMatchObject({ name: 'Mine', source: { ...source, branch: null, isDirty: true } });
    expect((await assayInProcess(['runs'], { cwd: folder })).stdout).toContain('Mine  The trial passed');
  });

  it('is unknown without a repository, and without git', async () => {
    const folder = await temporaryFolder();
    expect(await readRunSource(folder, process.env)).toBeUndefined();
    execFileSync('git', ['init', '-q'], { cwd: folder });
    expect(await readRunSource(folder, { PATH: folder })).toBeUndefined();
  });
});
