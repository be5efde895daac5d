import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TrialRecord } from '../../domain/record.ts';
import { tokenSumText, wholeUsage } from '../../domain/token-sum.ts';
import type { FinishedTrial, Store } from '../../keep/store/store.ts';
import { finishedTrial } from '../samples.ts';

/** A sum of tokens of which a part is unknown is never taken for the whole. */
export function describeTokenSums(store: () => Store): void {
  it('never has a smaller or whole sum of tokens for trials that report less', async () => {
    const spent = fc.record({ input: fc.nat(1e6), output: fc.nat(1e6), lost: fc.constantFrom(...losses) });
    let runs = 0;
    const check = async (trials: readonly SpentTrial[]): Promise<void> => {
      const runId = `r-tokens-${++runs}`;
      await store().saveTrials(trials.map((trial, index) => spentTrial(finishedTrial(runId, index), trial)));
      const { tokens } = await store().countTrials(runId);
      const silent = trials.filter(({ lost }) => lost !== 'nothing' && lost !== 'not-used');
      const reported = trials.filter(({ lost }) => lost === 'nothing');
      expect(tokens).toEqual({
        knownInput: reported.reduce((sum, { input }) => sum + input, 0),
        knownOutput: reported.reduce((sum, { output }) => sum + output, 0),
        unknownTrials: silent.length,
      });
      if (silent.length === 0) return;
      expect(wholeUsage(tokens)).toBeNull();
      expect(tokenSumText(tokens)).toMatch(
        /^(at least .* in, .* out; )?\d+ trials? did not report (its|their) tokens$/,
      );
    };
    const runsOfTrials = fc.array(spent, { minLength: 1, maxLength: 6 });
    await fc.assert(fc.asyncProperty(runsOfTrials, check), { numRuns: 20 });
  });
}

/** Parts of the tokens of a trial that it does not report. */
const losses = ['nothing', 'everything', 'output', 'parts', 'not-used'] as const;

interface SpentTrial {
  readonly input: number;
  readonly output: number;
  readonly lost: (typeof losses)[number];
}

function spentTrial({ record, trace }: FinishedTrial, { input, output, lost }: SpentTrial): FinishedTrial {
  const usages: Readonly<Record<SpentTrial['lost'], TrialRecord['usage']>> = {
    nothing: { inputTokens: input, outputTokens: output },
    everything: null,
    output: { inputTokens: input },
    parts: { totalTokens: input + output },
    'not-used': null,
  };
  return { record: { ...record, usage: usages[lost], costUsd: lost === 'not-used' ? 0 : null }, trace };
}
