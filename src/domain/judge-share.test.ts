import { describe, expect, it } from 'vitest';
import { addJudge, type JudgeShare, judgeShareText } from './judge-share.ts';

type Judged = Parameters<typeof addJudge>[1];

function shareOf(...trials: readonly Judged[]): JudgeShare | undefined {
  return trials.reduce<JudgeShare | undefined>((share, trial) => addJudge(share, trial), undefined);
}

const usage = { inputTokens: 1_000, outputTokens: 20 };
const costs = { targetUsd: 3, personaUsd: 1, judgeUsd: 0.5 };

describe('the share of judges', () => {
  it('adds up what judges spent, and nothing of the others', () => {
    const share = shareOf({ costs, costUsd: 4.5, judgeUsage: usage }, { costs, costUsd: 4.5, judgeUsage: usage });
    expect(share).toEqual({
      trials: 2,
      cost: { knownUsd: 1, unknownTrials: 0 },
      tokens: { knownInput: 2_000, knownOutput: 40, unknownTrials: 0 },
    });
    expect(share && judgeShareText(share)).toBe('$1.00, 2,000 in, 40 out for 2 trials');
  });

  it('leaves out trials without a judge', () => {
    expect(shareOf({ costs, costUsd: 4.5 })).toMatchObject({ trials: 0 });
  });

  it('is a part where a trial did not report all of it, and free where the trial was', () => {
    const share = shareOf(
      { costs: { ...costs, judgeUsd: null }, costUsd: null, judgeUsage: { inputTokens: 7 } },
      { costUsd: 0, judgeUsage: usage },
    );
    expect(share).toEqual({
      trials: 2,
      cost: { knownUsd: 0, unknownTrials: 1 },
      tokens: { knownInput: 1_000, knownOutput: 20, unknownTrials: 1 },
    });
  });
});
