import type * as z from 'zod';
import { type FigureCondition, readFigureCondition } from '../../../report/compare/grid/figure-condition.ts';
import { type GridConditions, holdsText } from '../../../report/compare/grid/grid-filter.ts';
import { compileTextPattern, UnusablePattern } from '../../../shared/patterns.ts';
import type { gridQuery } from '../api/grid.ts';
import { Refusal } from '../refusal.ts';
import { outcomesIn, variantIn } from '../runs/trial-filters.ts';

export type GridQuery = z.output<typeof gridQuery>;

/** The part of the query that decides which cases are listed in which order. */
export type GridSelection = Omit<GridQuery, 'limit' | 'cursor' | 'rater'>;

/** Reads the filters of a query; refuses what cannot be read. */
export function gridConditions(query: GridSelection): GridConditions {
  const { scenario, text = '', where, differs, regex, figure } = query;
  return {
    outcomes: outcomesIn(query.outcome),
    variant: variantIn(query.variant),
    scenario,
    where,
    differs,
    figure: figure === undefined ? undefined : figureIn(figure),
    holds: text === '' ? undefined : regex ? holdsPattern(text) : holdsText(text),
  };
}

function figureIn(written: string): FigureCondition {
  const condition = readFigureCondition(written);
  if (condition) return condition;
  throw new Refusal(400, 'REQUEST_INVALID', `${JSON.stringify(written)} is not a condition on a figure.`, {
    hint: 'Write a figure, a sign and a number, such as duration>2000 or m:tokens>=3.',
  });
}

function holdsPattern(written: string): (text: string) => boolean {
  try {
    const pattern = compileTextPattern(written);
    return (text) => pattern.occursIn(text);
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    throw new Refusal(400, 'REQUEST_INVALID', `The regular expression cannot be used: ${error.message}.`, {
      hint: 'Write it in the syntax of RE2, such as ^err(or)?.',
    });
  }
}
