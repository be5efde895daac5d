import type { TrialRecord } from '../../../domain/record.ts';
import { mean } from '../../../shared/stats/spread.ts';
import type { GridArm } from '../api/grid.ts';

/** By which name an assertion has a column: that which the scenario gives it, else its type. */
function columnOf({ id, name, type }: TrialRecord['evaluatorResults'][number]): string {
  return id ?? name ?? type;
}

/** The verdicts of each assertion over trials of a case. */
export function verdictsOf(trials: readonly TrialRecord[]): GridArm['evaluators'] {
  const found: GridArm['evaluators'] = {};
  for (const { trialId, evaluatorResults } of trials) {
    for (const result of evaluatorResults) {
      if (result.kind !== 'assertion') continue;
      const column = columnOf(result);
      const verdicts = found[column] ?? { pass: 0, fail: 0, error: 0, skipped: 0, trialId };
      found[column] = verdicts;
      const { state } = result;
      const verdict = state === 'pass' || state === 'fail' || state === 'skipped' ? state : 'error';
      if (verdict !== 'pass' && verdicts.fail + verdicts.error === 0) verdicts.trialId = trialId;
      verdicts[verdict]++;
    }
  }
  return found;
}

/** The mean of each metric over trials of a case; trials without the figure are left out and counted. */
export function figuresOf(trials: readonly TrialRecord[]): GridArm['metrics'] {
  const values = new Map<string, { observed: number[]; trialId: string }>();
  for (const { trialId, metrics } of trials) {
    for (const [name, value] of Object.entries(metrics)) {
      const { observed, trialId: example } = values.get(name) ?? { observed: [], trialId };
      if (value !== null) observed.push(value);
      values.set(name, { observed, trialId: example });
    }
  }
  return Object.fromEntries(
    [...values].map(([name, { observed, trialId }]) => [
      name,
      { mean: meanOf(observed), of: observed.length, trialId },
    ]),
  );
}

/** The mean of figures that each trial must have; null where one has none. */
export function wholeMean(figures: readonly (number | null)[]): number | null {
  return figures.every((figure) => figure !== null) ? meanOf(figures) : null;
}

function meanOf(figures: readonly number[]): number | null {
  return figures.length === 0 ? null : mean(figures);
}

/** The figure that cases are sorted by; null where it is not known. */
export function sortFigure(sort: string, trials: readonly TrialRecord[]): number | null {
  if (sort === 'passed') return passShare(trials.map(({ outcome }) => outcome));
  if (sort === 'duration') return wholeMean(trials.map(({ durationMs }) => durationMs));
  if (sort === 'cost') return wholeMean(trials.map(({ costUsd }) => costUsd));
  const name = sort.slice(2);
  if (sort.startsWith('m:')) return figuresOf(trials)[name]?.mean ?? null;
  const verdicts = sort.startsWith('e:') ? verdictsOf(trials)[name] : undefined;
  if (!verdicts || verdicts.pass + verdicts.fail === 0) return null;
  return verdicts.pass / (verdicts.pass + verdicts.fail);
}

/** Of judged trials; the others are neither a pass nor a fail. */
function passShare(outcomes: readonly TrialRecord['outcome'][]): number | null {
  const judged = outcomes.filter((outcome) => outcome === 'pass' || outcome === 'fail');
  return judged.length === 0 ? null : judged.filter((outcome) => outcome === 'pass').length / judged.length;
}
