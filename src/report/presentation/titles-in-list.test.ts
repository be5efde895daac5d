import { describe, expect, it } from 'vitest';
import { onlyInput } from '../../domain/only-case.ts';
import { titlesInList } from './trial-text.ts';

const trial = (scenario: string, caseId: string, variant = {}, repeat = 1) => ({ scenario, caseId, variant, repeat });

describe('titles of trials in one list', () => {
  it.each([
    ['of one scenario, only cases', [trial('Orders', 'a'), trial('Orders', 'b')], ['a', 'b']],
    ['of several scenarios, both', [trial('A', 'x'), trial('B', 'y')], ['A › x', 'B › y']],
    [
      'of one case, the part of the variant that differs',
      ['poor', 'good'].map((guidance) => trial('Plan', onlyInput, { agent: 'scripted', guidance })),
      ['guidance poor', 'guidance good'],
    ],
    [
      'of two agents with several cases, case and agent',
      [trial('Plan', 'a', { agent: 'x' }), trial('Plan', 'b', { agent: 'y' })],
      ['a (x)', 'b (y)'],
    ],
    ['of repeats, the repeat', [trial('Plan', 'a'), trial('Plan', 'a', {}, 2)], ['a', 'a (repeat 2)']],
    [
      'of a trial with a mark, also its name',
      [{ ...trial('Plan', onlyInput), hasReusedVerdict: true as const }],
      ['Plan (reused)'],
    ],
    ['of a single trial, its scenario', [trial('Plan', onlyInput, { agent: 'x' })], ['Plan']],
  ])('name %s', (_what, trials, titles) => {
    expect(titlesInList(trials)).toEqual(titles);
  });
});
