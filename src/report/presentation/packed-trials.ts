import { allMarks, type Mark, marksOf } from '../../domain/marks.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Variant } from '../../domain/variant.ts';
import { shorten } from '../../shared/text.ts';
import { caseKeyOf } from '../compare/case-key.ts';
import { type GridTrial, type GridVerdict, gridTrial } from '../compare/grid/grid-figures.ts';
import type { ListedTrial } from '../compare/grid/listed-trial.ts';
import { namingInput } from './case-name.ts';

/** A trial as an HTML report lists it; its record and trace are unpacked when it is opened. */
export interface ReportedTrial extends ListedTrial, Omit<GridTrial, 'trialId'> {
  readonly startedAt: number;
  readonly faultCode: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** How its input begins, where the name of its case says nothing. */
  readonly input: string | undefined;
  readonly marks: readonly Mark[];
}

/** Outcomes and verdicts by the number that stands for them. */
const outcomes: readonly (Outcome & GridVerdict)[] = ['pass', 'fail', 'error', 'skipped'];

/** Scenarios, variants, assertions and metrics are numbers of the page. */
type PackedTrial = readonly [
  ordinal: number,
  trialId: string,
  scenario: number,
  variant: number,
  caseId: string,
  repeat: number,
  outcome: number,
  reason: string,
  faultCode: string,
  startedAt: number,
  durationMs: number | null,
  costUsd: number | null,
  inputTokens: number | null,
  outputTokens: number | null,
  naming: string | null,
  /** `0`: those of the trial before, which is of the same case; null: left out. */
  texts: PackedTexts | 0 | null,
  answer: string | null,
  /** Assertion and verdict, in turn. */
  verdicts: readonly number[],
  /** Metric and value, in turn. */
  metrics: readonly (number | null)[],
  /** Separated by spaces. */
  marks: string,
];

type PackedTexts = readonly [input: string | null, expected: string | null, metadata?: Record<string, string>];

/** Neighbouring trials, with the names that they share. */
export interface TrialPage {
  readonly scenarios: readonly (readonly [name: string, file: string])[];
  readonly variants: readonly Variant[];
  readonly evaluators: readonly string[];
  readonly metrics: readonly string[];
  readonly trials: readonly PackedTrial[];
}

/** In lists; the trial itself has all of it. */
const longestReason = 300;
/** In the grid; the trial itself has all of it. */
const longestText = 160;

/** Packs neighbouring trials; inputs and answers may be left out of pages that would get too large. */
export class TrialPacker {
  readonly #hasTexts: boolean;
  readonly #scenarios = new Map<string, number>();
  readonly #variants = new Map<string, number>();
  readonly #evaluators = new Map<string, number>();
  readonly #metrics = new Map<string, number>();
  readonly #trials: PackedTrial[] = [];
  #lastCase = '';
  /** Of inputs, expected values and answers. */
  characters = 0;

  constructor({ hasTexts }: { readonly hasTexts: boolean }) {
    this.#hasTexts = hasTexts;
  }

  get size(): number {
    return this.#trials.length;
  }

  add(record: TrialRecord): void {
    const { verdicts, metrics } = gridTrial(record);
    this.#trials.push([
      record.ordinal,
      record.trialId,
      numberOf(this.#scenarios, JSON.stringify([record.scenario, record.file])),
      numberOf(this.#variants, JSON.stringify(record.variant)),
      record.caseId,
      record.repeat,
      outcomes.indexOf(record.outcome),
      shorten(record.reason, longestReason),
      record.fault?.code ?? '',
      record.startedAt,
      rounded(record.durationMs, 3),
      rounded(record.costUsd, 8),
      record.usage?.inputTokens ?? null,
      record.usage?.outputTokens ?? null,
      namingInput(record) ?? null,
      this.#textsOf(record),
      this.#text(record.excerpt?.answer),
      verdicts.flatMap(([name, verdict]) => [numberOf(this.#evaluators, name), outcomes.indexOf(verdict)]),
      Object.entries(metrics).flatMap(([name, value]) => [numberOf(this.#metrics, name), rounded(value, 6)]),
      marksOf(record).join(' '),
    ]);
  }

  packed(): TrialPage {
    return {
      scenarios: [...this.#scenarios.keys()].map((key) => JSON.parse(key)),
      variants: [...this.#variants.keys()].map((key) => JSON.parse(key)),
      evaluators: [...this.#evaluators.keys()],
      metrics: [...this.#metrics.keys()],
      trials: this.#trials,
    };
  }

  #textsOf(record: TrialRecord): PackedTexts | 0 | null {
    if (!this.#hasTexts || !record.excerpt) return null;
    const key = caseKeyOf(record);
    if (key === this.#lastCase) return 0;
    this.#lastCase = key;
    const { input, expected, expectedBehavior, metadata } = record.excerpt;
    const texts = [this.#text(input), this.#text(expected ?? expectedBehavior)] as const;
    return metadata ? [...texts, metadata] : texts;
  }

  #text(text: string | undefined): string | null {
    if (!this.#hasTexts || text === undefined) return null;
    const kept = shorten(text, longestText);
    this.characters += kept.length;
    return kept;
  }
}

function numberOf(names: Map<string, number>, name: string): number {
  const number = names.get(name) ?? names.size;
  names.set(name, number);
  return number;
}

function rounded(value: number | null, digits: number): number | null {
  return value !== null && Number.isFinite(value) ? Number(value.toFixed(digits)) : null;
}

/** The trials of a page with the names and texts that they share filled in. */
export function unpackedTrials(page: TrialPage): ReportedTrial[] {
  let texts: PackedTexts | null = null;
  return page.trials.map((packed) => {
    if (packed[15] !== 0) texts = packed[15];
    return unpacked(packed, page, texts);
  });
}

function unpacked(packed: PackedTrial, page: TrialPage, texts: PackedTexts | null): ReportedTrial {
  const [ordinal, trialId, scenarioNumber, variantNumber, caseId, repeat, outcome, reason, faultCode] = packed;
  const [startedAt, durationMs, costUsd, inputTokens, outputTokens, naming] = packed.slice(9, 15) as [
    ...[number, number | null, number | null, number | null, number | null, string | null],
  ];
  const [answer, verdicts, metrics] = [packed[16], packed[17], packed[18]];
  const [scenario, file] = page.scenarios[scenarioNumber] ?? ['', ''];
  return {
    ...{ ordinal, trialId, scenario, file, caseId, repeat, reason, startedAt, durationMs, costUsd },
    variant: page.variants[variantNumber] ?? {},
    outcome: outcomes[outcome] ?? 'error',
    faultCode: faultCode || null,
    inputTokens,
    outputTokens,
    input: naming ?? undefined,
    excerpt: texts ? excerptOf(texts, answer) : undefined,
    verdicts: pairsIn(verdicts).map(([name, verdict]) => [page.evaluators[name] ?? '', outcomes[verdict] ?? 'error']),
    marks: allMarks.filter((mark) => packed[19].includes(mark)),
    metrics: Object.fromEntries(pairsIn(metrics).map(([name, value]) => [page.metrics[name] ?? '', value])),
  };
}

function excerptOf([input, expected, metadata]: PackedTexts, answer: string | null): ReportedTrial['excerpt'] {
  return {
    ...(input !== null && { input }),
    ...(expected !== null && { expected }),
    ...(answer !== null && { answer }),
    ...(metadata && { metadata }),
  };
}

function pairsIn<Value extends number | null>(values: readonly Value[]): [number, Value][] {
  return values.flatMap((value, index): [number, Value][] =>
    index % 2 === 0 ? [] : [[values[index - 1] as number, value]],
  );
}
