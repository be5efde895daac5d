import { describe, expect, it } from 'vitest';
import { LeakCheck, textsOfCase } from './leak-check.ts';

const heldOut = ['Please sort the names in list.txt by age', 'Friday', '--quiet', 'ok', '4100'];

describe('LeakCheck', () => {
  const leaks = new LeakCheck(heldOut, ['Sort numbers. Meet on a friday.']);

  it.each([
    ['Whenever you SORT the names, in list.txt, do so', 'sort the names in list'],
    ['Pass --quiet always', '--quiet'],
    ['Order 4100 is special', '4100'],
  ])('finds held-out text in %j', (text, found) => {
    expect(leaks.leakIn(text)).toBe(found);
  });

  it.each([
    'Sort the names first',
    'On Friday, too: a training case has it',
    'All is ok',
    'Order 41002 and --quieter are other words',
  ])('finds nothing in %j', (text) => {
    expect(leaks.leakIn(text)).toBeUndefined();
  });

  it('takes the task, the expectations and all that judges from a case', () => {
    const evaluators = [{ type: 'contains', config: { text: ['Paris'], least: 12_345 } }];
    const texts = textsOfCase({ caseId: 'c', input: { task: 'Ask' }, expected: 'Lyon', evaluators });
    expect(texts).toEqual(['Ask', 'Lyon', 'Paris', '12345']);
  });
});
