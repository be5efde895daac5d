import type { GridTrial } from './grid-figures.ts';
import type { ListedTrial } from './listed-trial.ts';
import { sortFigure } from './sort-figure.ts';

/** A condition on a figure of trials, such as `m:tool-calls>=3`: what cases are sorted by, a sign and a number. */
export interface FigureCondition {
  readonly by: string;
  readonly sign: FigureSign;
  readonly value: number;
}

const signs = {
  '>=': (figure: number, value: number) => figure >= value,
  '<=': (figure: number, value: number) => figure <= value,
  '>': (figure: number, value: number) => figure > value,
  '<': (figure: number, value: number) => figure < value,
  '=': (figure: number, value: number) => figure === value,
} as const;
export type FigureSign = keyof typeof signs;
export const figureSigns = Object.keys(signs) as FigureSign[];

/** Undefined for what is not a condition. Names may hold signs, so the last one counts. */
export function readFigureCondition(written: string): FigureCondition | undefined {
  const [, by, sign, number = ''] = /^(duration|cost|[em]:.+?)(>=|<=|>|<|=)([^<>=]+)$/s.exec(written) ?? [];
  const value = number.trim() === '' ? Number.NaN : Number(number);
  return by === undefined || !Number.isFinite(value) ? undefined : { by, sign: sign as FigureSign, value };
}

export function writtenFigureCondition({ by, sign, value }: FigureCondition): string {
  return `${by}${sign}${value}`;
}

/** Whether a trial of a case fulfils the condition; a figure that was not observed fulfils none. */
export function fulfils<Trial extends ListedTrial>(
  { by, sign, value }: FigureCondition,
  trials: readonly Trial[],
  resultsOf: (trial: Trial) => GridTrial,
): boolean {
  return trials.some((trial) => {
    const figure = sortFigure(by, [trial], resultsOf);
    return figure !== null && signs[sign](figure, value);
  });
}
