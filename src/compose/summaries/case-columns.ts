import { outcomeSchema } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Variant } from '../../domain/variant.ts';
import { entryOf } from '../../report/compare/case-numbers.ts';
import { gridTrial } from '../../report/compare/grid/grid-figures.ts';

/** Outcomes by their numbers in a column. */
export const outcomeNumbers = outcomeSchema.options;

/** Between the texts of trials, between those of a trial, and in place of one that is not there. */
export const textMarks = { trial: '\u001d', between: '\u001e', absent: '\u001f' } as const;

/** Texts of trials that are kept together. */
export const trialsPerText = 5_000;

/** Values that cases are filtered and sorted by: a value for each trial, the trials of a case side by side. */
export interface CaseColumns {
  readonly ordinals: Int32Array;
  /** Where the trials of each case end. */
  readonly ends: Int32Array;
  readonly outcomes: Uint8Array;
  readonly variants: Uint32Array;
  readonly scenarios: Uint32Array;
  /** NaN where it is not known. */
  readonly durations: Float64Array;
  readonly costs: Float64Array;
  readonly startedAt: Float64Array;
  /** 1 where the record of the trial has texts to show. */
  readonly excerpts: Uint8Array;
  readonly variantNames: readonly Variant[];
  readonly scenarioNames: readonly string[];
  /** With which the texts are kept. */
  readonly textStamp: string;
  /** The names of columns that are kept apart, in the order of their numbers. */
  readonly metrics: readonly string[];
  readonly evaluators: readonly string[];
  readonly metadata: readonly string[];
}

/** Passes and failures of an assertion. */
export interface EvaluatorColumn {
  readonly pass: Uint16Array;
  readonly fail: Uint16Array;
}

/** A piece of metadata: numbers of its values, -1 where a trial has none. */
export interface MetadataColumn {
  readonly values: readonly string[];
  readonly of: Int32Array;
}

class Names<Name> {
  readonly all: Name[] = [];
  readonly #places = new Map<string, number>();

  placeOf(name: Name, key = String(name)): number {
    return entryOf(this.#places, key, () => this.all.push(name) - 1);
  }
}

/** Takes trials one after the other; those of a case come side by side. */
export class GrowingColumns {
  readonly #numbers = {
    ordinals: [] as number[],
    ends: [] as number[],
    outcomes: [] as number[],
    variants: [] as number[],
    scenarios: [] as number[],
    durations: [] as number[],
    costs: [] as number[],
    startedAt: [] as number[],
    excerpts: [] as number[],
  };
  readonly #variants = new Names<Variant>();
  readonly #scenarios = new Names<string>();
  readonly #metrics = new Map<string, number[]>();
  readonly #evaluators = new Map<string, { readonly pass: number[]; readonly fail: number[] }>();
  readonly #metadata = new Map<string, { readonly values: Names<string>; readonly of: number[] }>();
  #texts: string[] = [];
  #takenTexts = 0;

  add(record: TrialRecord): void {
    const numbers = this.#numbers;
    const place = numbers.ordinals.push(record.ordinal) - 1;
    numbers.outcomes.push(outcomeNumbers.indexOf(record.outcome));
    numbers.variants.push(this.#variants.placeOf(record.variant, JSON.stringify(record.variant)));
    numbers.scenarios.push(this.#scenarios.placeOf(record.scenario));
    numbers.durations.push(record.durationMs ?? Number.NaN);
    numbers.costs.push(record.costUsd ?? Number.NaN);
    numbers.startedAt.push(record.startedAt);
    numbers.excerpts.push(record.excerpt ? 1 : 0);
    const { verdicts, metrics } = gridTrial(record);
    for (const [name, value] of Object.entries(metrics))
      entryOf(this.#metrics, name, () => [])[place] = value ?? Number.NaN;
    for (const [name, verdict] of verdicts) {
      const column = entryOf(this.#evaluators, name, () => ({ pass: [], fail: [] }));
      if (verdict === 'pass' || verdict === 'fail') column[verdict][place] = (column[verdict][place] ?? 0) + 1;
    }
    for (const [name, value] of Object.entries(record.excerpt?.metadata ?? {})) {
      const column = entryOf(this.#metadata, name, () => ({ values: new Names<string>(), of: [] }));
      column.of[place] = column.values.placeOf(value);
    }
    this.#texts.push(textOf(record));
  }

  endCase(): void {
    this.#numbers.ends.push(this.#numbers.ordinals.length);
  }

  /**
   * The texts that were not taken yet, where there are so many; all but the last have the same number of trials. They are one
   * text, which is searched far sooner than one after the other.
   */
  *takeTexts(fewest: number, most: number): Generator<{ readonly number: number; readonly texts: string }> {
    while (this.#texts.length >= fewest) {
      yield { number: this.#takenTexts++, texts: this.#texts.slice(0, most).join(textMarks.trial) };
      this.#texts = this.#texts.slice(most);
    }
  }

  *apart(): Generator<readonly [name: string, column: Float64Array | EvaluatorColumn | MetadataColumn]> {
    const count = this.#numbers.ordinals.length;
    const wholes = (values: readonly number[]) => Uint16Array.from({ length: count }, (_, place) => values[place] ?? 0);
    for (const [number, values] of [...this.#metrics.values()].entries())
      yield [`metric ${number}`, Float64Array.from({ length: count }, (_, place) => values[place] ?? Number.NaN)];
    for (const [number, { pass, fail }] of [...this.#evaluators.values()].entries())
      yield [`evaluator ${number}`, { pass: wholes(pass), fail: wholes(fail) }];
    for (const [number, { values, of }] of [...this.#metadata.values()].entries())
      yield [
        `metadata ${number}`,
        { values: values.all, of: Int32Array.from({ length: count }, (_, place) => of[place] ?? -1) },
      ];
  }

  whole(textStamp: string): CaseColumns {
    const { ordinals, ends, outcomes, variants, scenarios, durations, costs, startedAt, excerpts } = this.#numbers;
    return {
      textStamp,
      ordinals: Int32Array.from(ordinals),
      ends: Int32Array.from(ends),
      outcomes: Uint8Array.from(outcomes),
      variants: Uint32Array.from(variants),
      scenarios: Uint32Array.from(scenarios),
      durations: Float64Array.from(durations),
      costs: Float64Array.from(costs),
      startedAt: Float64Array.from(startedAt),
      excerpts: Uint8Array.from(excerpts),
      variantNames: this.#variants.all,
      scenarioNames: this.#scenarios.all,
      metrics: [...this.#metrics.keys()],
      evaluators: [...this.#evaluators.keys()],
      metadata: [...this.#metadata.keys()],
    };
  }
}

function textOf({ caseId, reason, trialId, excerpt }: TrialRecord): string {
  const { between, absent } = textMarks;
  const named = `${inText(caseId)}${between}${inText(reason)}${between}${inText(trialId)}`;
  if (!excerpt) return named;
  const { input, expected, expectedBehavior, answer } = excerpt;
  return [named, ...[input, expected, expectedBehavior, answer].map((text) => inText(text ?? absent))].join(between);
}

function inText(text: string): string {
  return text.replace(/[\u001d\u001e]/g, ' ');
}
