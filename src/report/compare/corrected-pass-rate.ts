import { wholePercent } from '../../shared/format.ts';
import { filteredRows, madeRows, type Rows } from '../../shared/rows.ts';
import type { PairedComparison } from '../../shared/stats/compare-pairs.ts';
import { correctedComparison, type JudgeErrors, type VerdictCounts } from '../../shared/stats/correct-judge.ts';
import type { CasePair, CollectedCase } from './collected-side.ts';
import type { FigureCorrection, MetricComparison } from './comparison.ts';
import type { FigureValues } from './figure-values.ts';

/** Error rates of judges, by their identities. */
export type JudgeCorrection = ReadonlyMap<string, JudgeErrors & { readonly model: string }>;

/** The pass rate as people would have judged; undefined where no error rates were given. */
export function correctedPassRate(
  pairs: Rows<CasePair>,
  { cases, missing }: FigureValues,
  { meanA, meanB, difference, interval }: PairedComparison,
  errors: JudgeCorrection | undefined,
  level: number,
): { readonly comparison: PairedComparison; readonly correction: FigureCorrection } | undefined {
  if (!errors) return undefined;
  const judged = filteredRows(pairs, ({ a, b }) => Boolean(a?.figures.has('pass-rate') && b?.figures.has('pass-rate')));
  const units = madeRows(judged.length, (index) => {
    const { a, b } = judged.at(index) as BothSides;
    return { unit: cases.at(index)?.unit ?? '', a: countsOf(a), b: countsOf(b) };
  });
  const comparison = correctedComparison(units, errors, { level, missing });
  return (
    comparison && {
      comparison,
      correction: { uncorrected: { meanA, meanB, difference, interval }, judges: [...errors.values()] },
    }
  );
}

type BothSides = CasePair & { readonly a: CollectedCase; readonly b: CollectedCase };

function countsOf({ passed, failed, verdicts }: CollectedCase): VerdictCounts {
  return { trials: passed + failed, passed, judged: verdicts ?? new Map() };
}

/** How much of a true difference the verdicts of the judge show: its errors hide the rest. */
export function observedShare(correction: FigureCorrection | undefined): number {
  const shares = (correction?.judges ?? []).map(
    ({ falsePasses, falseFails }) => 1 - falsePasses.count / falsePasses.of - falseFails.count / falseFails.of,
  );
  return Math.min(1, ...shares);
}

/** How the pass rate was corrected, as sentences. */
export function correctionNotes([question]: readonly MetricComparison[]): string[] {
  const correction = question?.correction;
  if (!question || !correction) return [];
  const { uncorrected, judges } = correction;
  const rates = judges.map(
    ({ model, falsePasses, falseFails }) =>
      `${model} passed ${falsePasses.count} of ${falsePasses.of} that people failed, and failed ${falseFails.count} of ${falseFails.of} that people passed`,
  );
  return [
    `The pass rate is corrected for the errors of the judge, which gave ${wholePercent(uncorrected.meanA)} → ${wholePercent(uncorrected.meanB)}: ${rates.join('; ')}. This holds if it errs alike on both sides.`,
    'The answer on exactly these tasks is about the verdicts of the judge, without correction.',
  ];
}
