import { describe, expect, it } from 'vitest';
import type { Case } from '../../domain/scenario.ts';
import { CaseFinder } from './find-cases.ts';

/** Cases by their ids, with the number of those that were read so far. */
function casesOf(...ids: string[]) {
  const read: string[] = [];
  const finder = new CaseFinder({
    async *cases(): AsyncGenerator<Case, void> {
      for (const caseId of ids) {
        read.push(caseId);
        yield { caseId, input: caseId, expected: undefined, evaluators: [] };
      }
    },
  });
  const find = async (...wanted: string[]) => {
    const found: (unknown | undefined)[] = [];
    for (const caseId of wanted) found.push((await finder.find(caseId))?.input);
    return found;
  };
  return { find, read };
}

describe('CaseFinder', () => {
  it('reads no further than it has to when cases are requested in their order, several times each', async () => {
    const { find, read } = casesOf('a', 'b', 'c', 'd');
    expect(await find('a', 'a', 'c', 'c')).toEqual(['a', 'a', 'c', 'c']);
    expect(read).toEqual(['a', 'b', 'c']);
  });

  it('finds cases in any order, and says which are not there', async () => {
    const { find, read } = casesOf('a', 'b', 'c');
    expect(await find('c', 'a', 'gone', 'b', 'gone', 'c', 'a')).toEqual([
      'c',
      'a',
      undefined,
      'b',
      undefined,
      'c',
      'a',
    ]);
    expect(read).toEqual(['a', 'b', 'c']);
  });

  it('finds nothing where there is nothing', async () => {
    expect(await casesOf().find('a', 'a')).toEqual([undefined, undefined]);
  });
});
