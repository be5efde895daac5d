import {
  type CaseColumns,
  type EvaluatorColumn,
  type MetadataColumn,
  outcomeNumbers,
} from '../../../compose/summaries/case-columns.ts';
import type { GridTrial } from '../../../report/compare/grid/grid-figures.ts';
import type { ListedTrial } from '../../../report/compare/grid/listed-trial.ts';
import type { TextBlock, TextFields } from './column-texts.ts';

/** Columns of a run, as far as they were read. */
export interface ReadColumns {
  readonly all: CaseColumns;
  readonly metrics: Map<string, Float64Array>;
  readonly evaluators: Map<string, EvaluatorColumn>;
  readonly metadata: Map<string, MetadataColumn>;
}

type Excerpt = NonNullable<ListedTrial['excerpt']>;

const nothing: Excerpt = {};
const noFields: TextFields = [];

/**
 * A trial of the columns of a run. Lists look at one or two values of a hundred thousand trials, so each value is made when it
 * is looked at.
 */
export class ColumnTrial implements ListedTrial, GridTrial {
  readonly #columns: ReadColumns;
  readonly #place: number;
  readonly #texts: TextBlock | undefined;
  #fields: TextFields | undefined;
  readonly file = '';
  readonly repeat = 1;

  constructor(columns: ReadColumns, place: number, texts: TextBlock | undefined) {
    this.#columns = columns;
    this.#place = place;
    this.#texts = texts;
  }

  get ordinal(): number {
    return this.#columns.all.ordinals[this.#place] ?? 0;
  }

  get scenario(): string {
    const { scenarios, scenarioNames } = this.#columns.all;
    return scenarioNames[scenarios[this.#place] ?? 0] ?? '';
  }

  get variant(): ListedTrial['variant'] {
    const { variants, variantNames } = this.#columns.all;
    return variantNames[variants[this.#place] ?? 0] ?? {};
  }

  get outcome(): ListedTrial['outcome'] {
    return outcomeNumbers[this.#columns.all.outcomes[this.#place] ?? 0] ?? 'error';
  }

  get durationMs(): number | null {
    return numberOrNull(this.#columns.all.durations[this.#place]);
  }

  get costUsd(): number | null {
    return numberOrNull(this.#columns.all.costs[this.#place]);
  }

  get startedAt(): number {
    return this.#columns.all.startedAt[this.#place] ?? 0;
  }

  get caseId(): string {
    return this.#text(0) ?? '';
  }

  get reason(): string {
    return this.#text(1) ?? '';
  }

  get trialId(): string {
    return this.#text(2) ?? '';
  }

  get excerpt(): ListedTrial['excerpt'] {
    const { all, metadata } = this.#columns;
    if (all.excerpts[this.#place] !== 1) return undefined;
    const [input, expected, expectedBehavior, answer] = [3, 4, 5, 6].map((field) => this.#text(field));
    const texts: Excerpt = this.#texts ? { input, expected, expectedBehavior, answer } : nothing;
    const found = [...metadata].flatMap(([name, { values, of }]) => {
      const value = values[of[this.#place] ?? -1];
      return value === undefined ? [] : [[name, value]];
    });
    return found.length === 0 ? texts : { ...texts, metadata: Object.fromEntries(found) };
  }

  get metrics(): GridTrial['metrics'] {
    const { metrics } = this.#columns;
    return Object.fromEntries([...metrics].map(([name, column]) => [name, numberOrNull(column[this.#place])]));
  }

  get verdicts(): GridTrial['verdicts'] {
    const found: GridTrial['verdicts'][number][] = [];
    for (const [name, columns] of this.#columns.evaluators)
      for (const verdict of ['pass', 'fail'] as const)
        for (let left = columns[verdict][this.#place] ?? 0; left > 0; left--) found.push([name, verdict]);
    return found;
  }

  #text(field: number): string | undefined {
    this.#fields ??= this.#texts?.fieldsAt(this.#place) ?? noFields;
    return this.#fields[field];
  }
}

function numberOrNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}
