import type { HeldOutResult } from '../../domain/improvement.ts';
import { counted } from '../../shared/format.ts';
import type { Rows } from '../../shared/rows.ts';
import { missingPadding, type PairedCase } from '../../shared/stats/compare-pairs.ts';
import { studentQuantile } from '../../shared/stats/distributions.ts';
import { mean } from '../../shared/stats/spread.ts';
import type { CasePair } from './collected-side.ts';
import { errorRate } from './experiment-rounds.ts';
import { figureValues } from './figure-values.ts';

/** How often an idea that gains nothing on the held-out cases may pass. */
const heldOutErrorRate = 0.05;
/** With fewer trials of each version, gains of a few points would hardly ever be seen. */
const fewestTrials = 70;
const usualRepeats = 10;
const mostRepeats = 40;
/** From so many on Student's distribution is as good as normal. */
const manyTrials = 1_000_000;

/** The figure that decides. */
export const improvedFigure = 'pass-rate';

/**
 * The error rate of the experiment of a step, for all of its ideas together and in both directions. Only ideas that are
 * better are kept, which is half of it, and each step has half of what the one before had: all steps together keep an
 * idea that does not help in at most 4.5 % of improvements, however many there are.
 */
export function stepErrorRate(step: number): number {
  return errorRate / 2 ** (step - 1);
}

/** How often each held-out case is tried under both versions. */
export function heldOutRepeats(cases: number): number {
  return Math.min(mostRepeats, Math.max(usualRepeats, Math.ceil(fewestTrials / cases)));
}

/**
 * Whether a version gains on exactly these cases, which it has never seen: the bound below its difference is above 0.
 * `candidates` says how many ideas may be tried on them. Undefined where no case was judged under both.
 */
export function compareHeldOut(pairs: Rows<CasePair>, candidates: number): HeldOutResult | undefined {
  const { cases, missing, distinct } = figureValues(improvedFigure, pairs);
  const usable = [...cases].filter(({ a, b }) => a.length > 0 && b.length > 0);
  if (usable.length === 0) return undefined;
  const [meanA, meanB] = [mean(usable.map(({ a }) => mean(a))), mean(usable.map(({ b }) => mean(b)))];
  const level = heldOutErrorRate / candidates;
  const half = studentQuantile(1 - 2 * level, manyTrials) * standardError(usable);
  const padding = missingPadding({ missing, largestDifference: 1 }, meanA, meanB);
  // A case that was never judged under one of the versions may have been lost altogether.
  const lost = pairs.length - usable.length;
  const low = (usable.length * (meanB - meanA - half - padding.below) - lost) / pairs.length;
  const high = (usable.length * (meanB - meanA + half + padding.above) + lost) / pairs.length;
  const result = low > 0 ? 'gained' : high < 0 ? 'worse' : 'not-shown';
  const change = `pass rate ${percent(meanA)} % → ${percent(meanB)} %`;
  const bound =
    low > 0 ? `a gain of ${percent(low)} points or more` : `no gain shown; at most ${percent(-low)} points lost`;
  return {
    result,
    meanReference: meanA,
    mean: meanB,
    difference: meanB - meanA,
    low,
    level,
    cases: distinct,
    summary: `${change} (${bound}, ${counted(distinct, 'case')})`,
  };
}

/**
 * Of the mean difference, from the spread of the trials of each case. Two passes and two failures are added to all
 * trials of a version together (Agresti and Coull), or cases that ended alike each time would seem certain.
 */
function standardError(cases: readonly PairedCase[]): number {
  const added = 2 / cases.length;
  const variance = (values: readonly number[]): number => {
    const count = values.length + 2 * added;
    const share = (values.reduce((sum, value) => sum + value, 0) + added) / count;
    return (share * (1 - share)) / count;
  };
  return Math.sqrt(cases.reduce((sum, { a, b }) => sum + variance(a) + variance(b), 0)) / cases.length;
}

function percent(share: number): string {
  return String(Math.round(share * 1_000) / 10);
}
