import { describe, expect, it } from 'vitest';
import { addCascade, type CascadeShare, cascadeText } from './cascade-share.ts';
import type { JudgeAnswer, JudgeResult } from './judge-result.ts';

const answer: JudgeAnswer = {
  ...{ state: 'pass', mode: 'criteria', promptVersion: 'v', reason: '', warnings: [] },
  ...{ usage: {}, costUsd: 0.001 },
};
const settled: JudgeResult = { ...answer, cascade: 'settled' };
const byPanel = (
  cascade: 'escalated' | 'checked',
  state: JudgeResult['state'],
  costUsd: number | null,
): JudgeResult => ({
  ...{ ...answer, state, cascade, costUsd },
  panel: [answer, { ...answer, state }],
});

function shareOf(...results: readonly (JudgeResult | null)[]): CascadeShare | undefined {
  return results.reduce<CascadeShare | undefined>((share, result) => addCascade(share, result), undefined);
}

describe('verdicts of a cascade', () => {
  it('are counted by who gave them, with the saving and the agreement', () => {
    const share = shareOf(
      ...Array<JudgeResult>(7).fill(settled),
      byPanel('escalated', 'fail', 0.011),
      byPanel('checked', 'pass', 0.011),
      byPanel('checked', 'fail', 0.011),
    );
    expect(share).toMatchObject({ settled: 7, escalated: 1, checked: 2, agreed: 1 });
    // Ten verdicts of the panel at $0.01, less 7 at $0.001 and 3 at $0.011.
    expect(share && cascadeText(share)).toBe(
      '7 of 10 verdicts by the first model alone; 1 of 2 checked ones agree with the panel (9 % to 91 %); about $0.0600 saved',
    );
  });

  it('claim no saving that is not known, and no agreement that nothing shows', () => {
    const share = shareOf(settled, byPanel('escalated', 'fail', null), null, answer);
    expect(share && cascadeText(share)).toBe(
      '1 of 2 verdicts by the first model alone; none of its sure ones was checked',
    );
    expect(shareOf(answer, null)).toBeUndefined();
  });

  it('say so where the first model was not worth its price', () => {
    const share = shareOf(byPanel('escalated', 'fail', 0.003));
    expect(share && cascadeText(share)).toContain('$0.0010 more than without it');
  });
});
