import { describe, expect, it } from 'vitest';
import { folderOf, matcherOf } from './file-patterns.ts';

describe('patterns of files', () => {
  it.each([
    ['*.mp4', 'a/b/film.mp4', true],
    ['*.mp4', 'film.mp4.txt', false],
    ['data', 'data/x/y.csv', true],
    ['data', 'deep/data/x', true],
    ['/data', 'deep/data/x', false],
    ['./data/', 'data/x', true],
    ['data/*.csv', 'data/a.csv', true],
    ['data/*.csv', 'data/deep/a.csv', false],
    ['data/**/*.csv', 'data/a.csv', true],
    ['data/**/*.csv', 'data/deep/er/a.csv', true],
    ['**/dist', 'a/dist/x.js', true],
    ['file?.{js,ts}', 'src/file1.ts', true],
    ['file?.{js,ts}', 'src/file10.ts', false],
    ['a+b(c)[d].txt', 'a+b(c)[d].txt', true],
    ['odd,name', 'odd,name', true],
    ['a{b,c', 'a{b,c', true],
    ['a{b,c', 'ab', false],
    ['x}y', 'x}y', true],
    ['{a,{b,c}}.md', 'c.md', true],
    ['pages/[id]/(group).tsx', 'pages/[id]/(group).tsx', true],
    ['!kept', '!kept', true],
    ['**/**/**/**/**/**/**/**/**/**/b', 'a/'.repeat(60), false],
    ['.env', 'sub/.env', true],
    ['*', 'any/thing', true],
  ])('%s on %s: %s', (pattern, path, isMeant) => {
    expect(matcherOf([pattern])(path)).toBe(isMeant);
  });

  it('mean nothing when there are none', () => {
    expect(matcherOf([])('a')).toBe(false);
  });

  it.each([
    ['dist/**', 'dist'],
    ['./a/b/*.js', 'a/b'],
    ['/node_modules', 'node_modules'],
    ['node_modules', ''],
    ['a/b', 'a/b'],
    ['**/x', ''],
    ['a{b,c}/d', ''],
  ])('%s begins in "%s"', (pattern, folder) => {
    expect(folderOf(pattern)).toBe(folder);
  });
});
