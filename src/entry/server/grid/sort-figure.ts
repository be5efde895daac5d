import type { TrialRecord } from '../../../domain/record.ts';
import { figuresOf, gridTrial, verdictsOf, wholeMean } from '../../../report/compare/grid-figures.ts';

/** The figure that cases are sorted by; null where it is not known. */
export function sortFigure(sort: string, trials: readonly TrialRecord[]): number | null {
  if (sort === 'passed') return passShare(trials.map(({ outcome }) => outcome));
  if (sort === 'duration') return wholeMean(trials.map(({ durationMs }) => durationMs));
  if (sort === 'cost') return wholeMean(trials.map(({ costUsd }) => costUsd));
  const name = sort.slice(2);
  if (sort.startsWith('m:')) return figuresOf(trials.map(gridTrial))[name]?.mean ?? null;
  const verdicts = sort.startsWith('e:') ? verdictsOf(trials.map(gridTrial))[name] : undefined;
  if (!verdicts || verdicts.pass + verdicts.fail === 0) return null;
  return verdicts.pass / (verdicts.pass + verdicts.fail);
}

/** Of judged trials; the others are neither a pass nor a fail. */
function passShare(outcomes: readonly TrialRecord['outcome'][]): number | null {
  const judged = outcomes.filter((outcome) => outcome === 'pass' || outcome === 'fail');
  return judged.length === 0 ? null : judged.filter((outcome) => outcome === 'pass').length / judged.length;
}
