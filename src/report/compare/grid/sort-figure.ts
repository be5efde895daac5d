import { figuresOf, type GridTrial, verdictsOf, wholeMean } from './grid-figures.ts';
import type { ListedTrial } from './listed-trial.ts';

/** The order of the cases: plan, problems, passed, duration, cost, `e:` and an evaluator, or `m:` and a metric. */
export interface GridOrder {
  readonly sort: string;
  readonly direction: 'asc' | 'desc';
}

/** The figure that cases are sorted by; null where it is not known, and in plan order. */
export function sortFigure<Trial extends ListedTrial>(
  sort: string,
  trials: readonly Trial[],
  resultsOf: (trial: Trial) => GridTrial,
): number | null {
  if (sort === 'plan') return null;
  if (sort === 'problems') return problemRank(trials.map(({ outcome }) => outcome));
  if (sort === 'passed') return passShare(trials.map(({ outcome }) => outcome));
  if (sort === 'duration') return wholeMean(trials.map(({ durationMs }) => durationMs));
  if (sort === 'cost') return wholeMean(trials.map(({ costUsd }) => costUsd));
  const name = sort.slice(2);
  if (sort.startsWith('m:')) return figuresOf(trials.map(resultsOf))[name]?.mean ?? null;
  const verdicts = sort.startsWith('e:') ? verdictsOf(trials.map(resultsOf))[name] : undefined;
  if (!verdicts || verdicts.pass + verdicts.fail === 0) return null;
  return verdicts.pass / (verdicts.pass + verdicts.fail);
}

/** Cases without the figure come last in either direction; equal ones stay in plan order. */
export function inOrder<Case extends { readonly figure: number | null }>(
  cases: readonly Case[],
  { sort, direction }: GridOrder,
): readonly Case[] {
  if (sort === 'plan') return direction === 'asc' ? cases : cases.toReversed();
  const sign = direction === 'asc' ? 1 : -1;
  return cases.toSorted((a, b) => {
    if (a.figure === null || b.figure === null) return Number(a.figure === null) - Number(b.figure === null);
    return sign * (a.figure - b.figure);
  });
}

/** How a case that has such trials comes in the order of problems: failures, then errors, then the rest. */
export const problemOrder = ['fail', 'error', 'rest'] as const;

/** The place of a case with these outcomes in `problemOrder`. */
export function problemRank(outcomes: readonly ListedTrial['outcome'][]): number {
  if (outcomes.includes('fail')) return problemOrder.indexOf('fail');
  return problemOrder.indexOf(outcomes.includes('error') ? 'error' : 'rest');
}

/** Of judged trials; the others are neither a pass nor a fail. */
function passShare(outcomes: readonly ListedTrial['outcome'][]): number | null {
  const judged = outcomes.filter((outcome) => outcome === 'pass' || outcome === 'fail');
  return judged.length === 0 ? null : judged.filter((outcome) => outcome === 'pass').length / judged.length;
}
