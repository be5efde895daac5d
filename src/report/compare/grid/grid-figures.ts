import type { TrialRecord } from '../../../domain/record.ts';
import { meanOrNull } from '../../../shared/stats/spread.ts';

/** How a trial stands to one assertion. */
type GridVerdict = 'pass' | 'fail' | 'error' | 'skipped';

/** The results of a trial that the grid of cases counts. */
export interface GridTrial {
  readonly trialId: string;
  /** By the column of the assertion. */
  readonly verdicts: readonly (readonly [column: string, verdict: GridVerdict])[];
  readonly metrics: Readonly<Record<string, number | null>>;
}

/** The verdicts of one assertion over trials of a case. */
export type GridVerdicts = Record<GridVerdict, number> & {
  /** An example: one that did not pass, where there is one. */
  trialId: string;
};

/** The mean of a metric over trials of a case; null where it was observed in none. */
interface GridFigure {
  mean: number | null;
  /** Trials in which it was observed. */
  of: number;
  trialId: string;
}

/** The results of a record that the grid counts. */
export function gridTrial({ trialId, evaluatorResults, metrics }: TrialRecord): GridTrial {
  const verdicts = evaluatorResults
    .filter(({ kind }) => kind === 'assertion')
    .map((result) => [columnOf(result), verdictOf(result)] as const);
  return { trialId, verdicts, metrics };
}

/** By which name an assertion has a column: that which the scenario gives it, else its type. */
function columnOf({ id, name, type }: TrialRecord['evaluatorResults'][number]): string {
  return id ?? name ?? type;
}

function verdictOf({ state }: TrialRecord['evaluatorResults'][number]): GridVerdict {
  return state === 'pass' || state === 'fail' || state === 'skipped' ? state : 'error';
}

/** The verdicts of each assertion over trials of a case. */
export function verdictsOf(trials: readonly GridTrial[]): Record<string, GridVerdicts> {
  const found: Record<string, GridVerdicts> = {};
  for (const { trialId, verdicts: given } of trials) {
    for (const [column, verdict] of given) {
      const verdicts = found[column] ?? { pass: 0, fail: 0, error: 0, skipped: 0, trialId };
      found[column] = verdicts;
      if (verdict !== 'pass' && verdicts.fail + verdicts.error === 0) verdicts.trialId = trialId;
      verdicts[verdict]++;
    }
  }
  return found;
}

/** The mean of each metric over trials of a case; trials without the figure are left out and counted. */
export function figuresOf(trials: readonly GridTrial[]): Record<string, GridFigure> {
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
      { mean: meanOrNull(observed), of: observed.length, trialId },
    ]),
  );
}

/** The mean of figures that each trial must have; null where one has none. */
export function wholeMean(figures: readonly (number | null)[]): number | null {
  return figures.every((figure) => figure !== null) ? meanOrNull(figures) : null;
}

/** The first trial that did not pass, else the first one. */
export function exampleOf<Trial extends Pick<TrialRecord, 'outcome'>>(trials: readonly Trial[]): Trial {
  const [first] = trials;
  if (!first) throw new RangeError('A case without trials has no example.');
  return trials.find(({ outcome }) => outcome !== 'pass') ?? first;
}
