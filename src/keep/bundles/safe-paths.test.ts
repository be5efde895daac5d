import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repetitions } from '../../testing/support/repetitions.ts';
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
    const paths = fc
      .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 2 })
      .map((steps) => steps.join('/'));
    const targets = fc.array(fc.constantFrom('a', 'b', 'c', '..', '.'), { minLength: 1, maxLength: 3 });
    const links = fc.array(fc.record({ path: paths, target: targets.map((steps) => steps.join('/')) }), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(links, (candidates) => {
        const entries = candidates.map((link) => ({ type: 'link' as const, ...link }));
        if (entryProblem(entries) === undefined) expect(escapes(entries)).toEqual([]);
      }),
      { seed: 20_261_115, numRuns: repetitions({ usual: 2_000, inFull: 20_000 }) },
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

/** Follows every link as a file system does, step by step, and returns those that lead out of the folder. */
function escapes(links: readonly { readonly path: string; readonly target: string }[]): string[] {
  const targets = new Map(links.map(({ path, target }) => [path, target]));
  return links.map(({ path }) => path).filter((path) => leadsOut(path, targets));
}

const mostSteps = 100;

function leadsOut(path: string, targets: ReadonlyMap<string, string>): boolean {
  const at: string[] = [];
  const ahead = path.split('/');
  for (let count = 0; ahead.length > 0 && count < mostSteps; count++) {
    const step = ahead.shift();
    if (step === undefined || step === '.') continue;
    if (step !== '..') at.push(step);
    else if (at.pop() === undefined) return true;
    const target = step === '..' ? undefined : targets.get(at.join('/'));
    if (target === undefined) continue;
    at.pop();
    ahead.unshift(...target.split('/'));
  }
  return false;
}
