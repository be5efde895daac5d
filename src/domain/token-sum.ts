import { grouped } from '../shared/format.ts';
import { sumText } from './cost-sum.ts';
import type { KnownUsage, Usage } from './usage.ts';

/** Tokens of several trials: the sum of those that are known, and how many trials have unknown ones. */
export interface TokenSum {
  readonly knownInput: number;
  readonly knownOutput: number;
  /** How many of the trials did not report all of their tokens; one that used no model has none. */
  readonly unknownTrials: number;
}

/** The tokens of no trial at all. */
export const noTokens: TokenSum = { knownInput: 0, knownOutput: 0, unknownTrials: 0 };

/** A sum with the tokens of one more trial; where one side is unknown, nothing of the trial is added. */
export function addTokens({ knownInput, knownOutput, unknownTrials }: TokenSum, usage: Usage): TokenSum {
  const { inputTokens, outputTokens } = usage;
  return inputTokens === undefined || outputTokens === undefined
    ? { knownInput, knownOutput, unknownTrials: unknownTrials + 1 }
    : { knownInput: knownInput + inputTokens, knownOutput: knownOutput + outputTokens, unknownTrials };
}

/** All tokens; null as long as those of a single trial are unknown, and where no trial used any. */
export function wholeUsage({ knownInput, knownOutput, unknownTrials }: TokenSum): KnownUsage | null {
  const isNone = knownInput + knownOutput === 0;
  return unknownTrials > 0 || isNone ? null : { inputTokens: knownInput, outputTokens: knownOutput };
}

/** Tokens of several trials for people to read; says so where those of some trials are unknown. */
export function tokenSumText({ knownInput, knownOutput, unknownTrials }: TokenSum): string {
  const isNone = knownInput + knownOutput === 0;
  return sumText(
    isNone ? undefined : `${grouped(knownInput)} in, ${grouped(knownOutput)} out`,
    unknownTrials,
    'tokens',
  );
}
