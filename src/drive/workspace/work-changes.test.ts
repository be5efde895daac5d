import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Leaf, type Tree, tree, writeTree } from '../../testing/fakes/workspace/random-tree.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { temporaryFolder, writeFiles } from '../../testing/support/temporary-folder.ts';
import { WorkChanges } from './work-changes.ts';
import type { FileChange } from './workspace.ts';

async function remembered(folder: string): Promise<WorkChanges> {
  const work = new WorkChanges(folder);
  await work.remember();
  return work;
}

function expectedChanges(before: Tree, after: Tree): Record<string, FileChange['change']> {
  const expected: Record<string, FileChange['change']> = {};
  for (const path of Object.keys(before)) if (!(path in after)) expected[path] = 'deleted';
  for (const [path, leaf] of Object.entries(after)) {
    if (!(path in before)) expected[path] = 'created';
    else if (JSON.stringify(before[path]) !== JSON.stringify(leaf)) expected[path] = 'changed';
  }
  return expected;
}

const byPath = (changes: readonly FileChange[]): Record<string, FileChange['change']> =>
  Object.fromEntries(changes.map(({ path, change }) => [path, change]));

function textOf(leaf: Leaf | undefined): string {
  return leaf && 'content' in leaf ? leaf.content : '';
}

describe('WorkChanges', () => {
  it('finds exactly what was created, changed and deleted, with diffs that lead from one to the other', async () => {
    const folder = await temporaryFolder();
    await fc.assert(
      fc.asyncProperty(tree, tree, async (before, after) => {
        writeTree(folder, before);
        const work = await remembered(folder);
        writeTree(folder, after);
        const changes = await work.changes();
        expect(byPath(changes)).toEqual(expectedChanges(before, after));
        expect(work.losses).toEqual([]);
        for (const { path, diff } of changes) {
          if (diff?.includes('@@')) expect(applyPatch(textOf(before[path]), diff)).toBe(textOf(after[path]));
        }
      }),
      { seed: 5, numRuns: repetitions({ usual: 30, inFull: 150 }) },
    );
  });

  it('shows diffs and sizes', async () => {
    const folder = await temporaryFolder({ 'a.txt': 'one\ntwo\n', 'gone.txt': 'x', 'run.sh': 'echo\n' });
    chmodSync(join(folder, 'run.sh'), 0o644);
    const work = await remembered(folder);
    writeFileSync(join(folder, 'a.txt'), 'one\n2\n');
    writeFileSync(join(folder, 'new.txt'), 'hello');
    chmodSync(join(folder, 'new.txt'), 0o644);
    chmodSync(join(folder, 'run.sh'), 0o755);
    rmSync(join(folder, 'gone.txt'));
    expect(await work.changes()).toEqual([
      {
        path: 'a.txt',
        change: 'changed',
        bytes: 6,
        diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
      },
      { path: 'gone.txt', change: 'deleted', bytes: null, diff: null },
      {
        path: 'new.txt',
        change: 'created',
        bytes: 5,
        diff: 'new file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hello\n\\ No newline at end of file\n',
      },
      { path: 'run.sh', change: 'changed', bytes: 5, diff: 'old mode 100644\nnew mode 100755\n' },
    ]);
  });

  it('is not misled by times', async () => {
    const folder = await temporaryFolder({ touched: 'same', forged: 'aaaa', replaced: 'same' });
    const work = await remembered(folder);
    utimesSync(join(folder, 'touched'), 1, 1);
    writeFileSync(join(folder, 'forged'), 'bbbb');
    utimesSync(join(folder, 'forged'), 1, 1);
    writeFileSync(join(folder, 'other'), 'same');
    renameSync(join(folder, 'other'), join(folder, 'replaced'));
    expect(byPath(await work.changes())).toEqual({ forged: 'changed' });
  });

  it('shows no diff of what is binary or large, and a whole replacement of what differs everywhere', async () => {
    const numbers = (from: number): string => Array.from({ length: 5_000 }, (_, index) => `${from + index}\n`).join('');
    const folder = await temporaryFolder({ binary: '\0', large: 'x'.repeat(300_000), rewritten: numbers(0) });
    const work = await remembered(folder);
    appendFileSync(join(folder, 'binary'), 'text');
    appendFileSync(join(folder, 'large'), 'text');
    writeFileSync(join(folder, 'rewritten'), numbers(100_000));
    const [binary, large, rewritten] = await work.changes();
    expect([binary, large]).toMatchObject([
      { change: 'changed', diff: null },
      { change: 'changed', diff: null },
    ]);
    expect(rewritten?.diff).toContain('@@ -1,5000 +1,5000 @@');
  });

  it('lists one entry for a repository and for installed packages', async () => {
    const folder = await temporaryFolder({ 'node_modules/a/index.js': '1', 'kept/node_modules/b/index.js': '1' });
    const work = await remembered(folder);
    await writeFiles(folder, { 'node_modules/new/index.js': '1', '.git/objects/aa/bb': '1', '.git/HEAD': 'ref' });
    expect(await work.changes()).toEqual([
      { path: '.git/', change: 'created', bytes: null, diff: null },
      { path: 'node_modules/', change: 'changed', bytes: null, diff: null },
    ]);
  });

  it('lists a bounded number, those of files that were there first, and says how many were left out', async () => {
    const folder = await temporaryFolder({ 'z/y/x/changed': 'a' });
    const work = await remembered(folder);
    mkdirSync(join(folder, 'many'));
    for (let index = 0; index < 2_500; index++) writeFileSync(join(folder, 'many', String(index)), '');
    writeFileSync(join(folder, 'z/y/x/changed'), 'b');
    writeFileSync(join(folder, 'top'), '');
    const changes = await work.changes();
    expect(changes).toHaveLength(2_000);
    expect(work.losses).toEqual(['502 more changed files are not listed']);
    expect(byPath(changes)).toMatchObject({ 'z/y/x/changed': 'changed', top: 'created' });
  });

  it('bounds the diffs', async () => {
    const folder = await temporaryFolder();
    const work = await remembered(folder);
    for (let index = 0; index < 20; index++) writeFileSync(join(folder, String(index)), 'x'.repeat(200_000));
    const diffs = (await work.changes()).map(({ diff }) => diff);
    expect(diffs.join('').length).toBeLessThan(2 * 1_048_576);
    expect(diffs.filter((diff) => diff !== null).length).toBe(10);
  });

  it('takes a work directory that is gone, or a link somewhere else, as everything being deleted', async () => {
    const folder = await temporaryFolder({ 'work/a': '1', 'work/b/c': '2', 'elsewhere/d': '3' });
    const work = await remembered(join(folder, 'work'));
    rmSync(join(folder, 'work'), { recursive: true });
    expect(byPath(await work.changes())).toEqual({ a: 'deleted', 'b/c': 'deleted' });
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'work'));
    expect(byPath(await work.changes())).toEqual({ a: 'deleted', 'b/c': 'deleted' });
    rmSync(join(folder, 'work'));
    writeFileSync(join(folder, 'work'), 'a file');
    expect(byPath(await work.changes())).toEqual({ a: 'deleted', 'b/c': 'deleted' });
  });

  it.runIf(process.platform === 'linux')('survives odd names, pipes, sockets and loops', async () => {
    const folder = await temporaryFolder({ becomes: 'a pipe' });
    const work = await remembered(folder);
    for (const byte of [0xfe, 0xff]) {
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([byte])]), 'odd');
    }
    rmSync(join(folder, 'becomes'));
    execFileSync('mkfifo', [join(folder, 'pipe'), join(folder, 'becomes')]);
    symlinkSync('loop', join(folder, 'loop'));
    symlinkSync('/', join(folder, 'root'));
    expect(byPath(await work.changes())).toEqual({
      '\\xfe': 'created',
      '\\xff': 'created',
      becomes: 'changed',
      pipe: 'created',
      loop: 'created',
      root: 'created',
    });
  });
});
