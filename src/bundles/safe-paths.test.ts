import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryProblem, linkProblem, pathProblem } from './safe-paths.ts';

describe('paths that cannot be unpacked', () => {
  it.each(['', '/etc/passwd', '../x', 'a/../../x', './a', 'a//b', 'a/', '..', '.', 'a\0b', 'a/\ud800'])(
    '%j',
    (path) => {
      expect(pathProblem(path)).toBeDefined();
    },
  );

  it.each(['a', 'a/b.txt', '..a/b..', 'ä ö/\n', '-rf', 'a b/c"d', '...'])('%j can', (path) => {
    expect(pathProblem(path)).toBeUndefined();
  });
});

describe('links', () => {
  it.each([
    ['a', '/etc/passwd'],
    ['a', '../x'],
    ['a/b', '../../x'],
    ['a', '..'],
    ['a', 'b/../../x'],
    ['a', 'sub/../x'],
    ['a', ''],
    ['a', './x/./../y'],
  ])('%s -> %j is refused', (path, target) => {
    expect(linkProblem({ path, target })).toBeDefined();
  });

  it.each([
    ['a', 'b'],
    ['a/b', '../c'],
    ['a/b/c', './../d/e'],
    ['a/b', '..'],
    ['a', '..b'],
  ])('%s -> %j is taken', (path, target) => {
    expect(linkProblem({ path, target })).toBeUndefined();
  });

  it('no set of links that is taken leads out of the folder, however they are combined', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'd');
    const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((steps) => steps.join('/'));
    const targets = fc.array(fc.constantFrom('a', 'b', 'c', '..', '.'), { minLength: 1, maxLength: 4 });
    const links = fc.array(fc.record({ path: paths, target: targets.map((steps) => steps.join('/')) }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(links, (candidates) => {
        const entries = candidates.map((link) => ({ type: 'link' as const, ...link }));
        if (entryProblem(entries) === undefined) expect(escapes(entries)).toEqual([]);
      }),
      { seed: 20_261_115, numRuns: 600 },
    );
  });
});

describe('entries', () => {
  const file = (path: string) => ({ type: 'file' as const, path });

  it('that lie below a link or a file are refused', () => {
    expect(entryProblem([{ type: 'link', path: 'a', target: 'b' }, file('a/x')])).toContain('lies below');
    expect(entryProblem([file('a'), file('a/b/c')])).toContain('lies below');
  });

  it('that are there twice are refused', () => {
    expect(entryProblem([file('a'), file('a')])).toContain('twice');
  });

  it('side by side are taken', () => {
    expect(entryProblem([file('a/b'), file('a/c'), file('ab')])).toBeUndefined();
  });
});

/** Makes the links on the disk and tells which of them lead out of their folder. */
function escapes(links: readonly { readonly path: string; readonly target: string }[]): string[] {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'assay-links-')));
  const folder = join(root, 'deep', 'folder');
  try {
    mkdirSync(folder, { recursive: true });
    for (const { path } of links) mkdirSync(dirname(join(folder, path)), { recursive: true });
    for (const { path, target } of links) symlinkSync(target, join(folder, path));
    return links.flatMap(({ path }) => {
      const reached = realPathOf(join(folder, path));
      return reached !== undefined && relative(folder, reached).startsWith('..') ? [`${path} reaches ${reached}`] : [];
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
