import { meanOf } from './spread.ts';
/** The scores that a judge gave one trace in several samples. */
export type Judgements = readonly number[];

/** Where the spread of scores over the repeats of a case comes from. */
export interface VarianceSplit {
  /** Cases, traces and judgements with a finite score. */
  readonly cases: number;
  readonly traces: number;
  readonly judgements: number;
  /** Between judgements of the same trace; null where no trace was judged twice. */
  readonly judge: number | null;
  /** Between traces of the same case, beyond what the judge explains; null where no case was tried twice. */
  readonly agent: number | null;
  /** The judge's part of what one judgement of one repeat varies by, 0 to 1; null where nothing varies or is scored. */
  readonly judgeShare: number | null;
}

/** Rounding residue of added fractions, which is not a difference. */
const roundingTolerance = 1e-12;

/**
 * Splits the variance within cases by a nested analysis of variance (repeats within cases, judgements within repeats)
 * with its moment estimators, for any number of repeats and judgements. Values that are not finite are left out; a
 * negative estimate for the agent is 0.
 */
export function splitVariance(cases: readonly (readonly Judgements[])[]): VarianceSplit {
  const scored = cases
    .map((traces) => traces.map((scores) => scores.filter(Number.isFinite)).filter(({ length }) => length > 0))
    .filter(({ length }) => length > 0);
  const traces = scored.flat();
  const ofJudge = sum(traces, (scores) => scores.length - 1);
  const judge = ofJudge > 0 ? sum(traces, squaresAround) / ofJudge : null;
  const agent = judge === null ? null : agentVariance(scored, judge);
  const total = (judge ?? 0) + (agent ?? 0);
  return {
    cases: scored.length,
    traces: traces.length,
    judgements: sum(traces, ({ length }) => length),
    judge,
    agent,
    judgeShare: judge === null || agent === null || total === 0 ? null : judge / total,
  };
}

function agentVariance(cases: readonly (readonly Judgements[])[], judge: number): number | null {
  const freedom = sum(cases, ({ length }) => length - 1);
  if (freedom === 0) return null;
  const between = sum(cases, (traces) => {
    const centre = meanOf(traces.flat());
    return sum(traces, (scores) => scores.length * squareOf(meanOf(scores), centre));
  });
  // How often the agent's variance is in the sum of squares; with n judgements everywhere it is n for each freedom.
  const weight = sum(cases, (traces) => {
    const all = sum(traces, ({ length }) => length);
    return all - sum(traces, ({ length }) => length ** 2) / all;
  });
  const agent = (between - freedom * judge) / weight;
  return agent > judge * roundingTolerance ? agent : 0;
}

function squaresAround(scores: Judgements): number {
  const centre = meanOf(scores);
  return sum(scores, (score) => squareOf(score, centre));
}

function squareOf(figure: number, centre: number): number {
  const distance = figure - centre;
  return Math.abs(distance) > roundingTolerance * Math.max(1, Math.abs(centre)) ? distance ** 2 : 0;
}

function sum<Item>(items: readonly Item[], figureOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + figureOf(item), 0);
}
