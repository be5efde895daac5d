import { describe, expect, it } from 'vitest';
import { judgePair } from './judge-pair.ts';

const choices = (...counts: [right: number, confused: number, neither?: number][]) =>
  counts.map(([right, confused, neither = 0], index) => ({ tool: `tool_${index}`, right, confused, neither }));

describe('the verdict on a pair', () => {
  it.each([
    ['all right', choices([15, 0], [15, 0]), 'refuted', null],
    ['one wrong', choices([15, 0], [14, 1]), 'refuted', null],
    ['by chance', choices([7, 8], [8, 7]), 'proven', null],
    ['always the same tool', choices([15, 0], [0, 15]), 'proven', null],
    // Among all calls 9 of 40 are not clearly more than a fifth; for one of the tools they are.
    ['one tool is often missed', choices([20, 0], [11, 9]), 'proven', null],
    ['a few wrong', choices([13, 2], [13, 2]), 'not-decided', 'more requests are needed'],
    ['nothing called', choices([0, 0, 15], [0, 0, 15]), 'not-decided', 'the model called neither tool'],
    ['little called', choices([5, 0, 10], [4, 0, 11]), 'not-decided', 'only 9 of the requests led to a call'],
    ['one never called for', choices([30, 0], [0, 0, 30]), 'not-decided', expect.stringContaining('too few')],
  ])('%s', (_, given, verdict, reason) => {
    expect(judgePair(given)).toMatchObject({ verdict, reason });
  });

  it('comes with the share of wrong calls and its interval', () => {
    const { confusion } = judgePair(choices([15, 0, 3], [14, 1]));
    expect(confusion?.share).toBeCloseTo(1 / 30);
    expect(confusion?.low).toBeCloseTo(0.006, 3);
    expect(confusion?.high).toBeCloseTo(0.167, 3);
    expect(judgePair([]).confusion).toBeNull();
  });
});
