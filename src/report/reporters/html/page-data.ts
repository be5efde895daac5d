import type { HookProblem } from '../../../domain/hook-problem.ts';
import type { Outcome } from '../../../domain/outcome.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { isReused } from '../../../domain/reuse.ts';
import type { RunScenario, RunSummary } from '../../../domain/run.ts';
import type { Trace } from '../../../domain/trace.ts';
import type { Variant } from '../../../domain/variant.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { shorten } from '../../../shared/text.ts';
import { type GridVerdict, gridTrial } from '../../compare/grid-figures.ts';
import type { PlacedRate, RunFigures } from '../../compare/run-figures.ts';
import type { AttackView } from '../../presentation/attack-text.ts';
import { caseName } from '../../presentation/case-name.ts';
import type { passOfKTable } from '../../presentation/figures.ts';
import type { ResilienceView } from '../../presentation/resilience-text.ts';
import type { CriteriaReport } from '../criteria-report.ts';
import type { ReadClusters } from '../failure-clusters.ts';
import type { StoredRun } from '../reporter.ts';
import type { ComparisonPage } from './comparison-page.ts';
import type { VariantsPage } from './variants-page.ts';

/** The run as a whole. */
export interface PageHead extends Omit<RunSummary, 'run'>, Omit<RunFigures, 'resilience'> {
  readonly runId: string;
  readonly startedAt: number;
  readonly status: RunSummary['run']['status'];
  readonly assayVersion: string;
  /** Where the trials come from when nothing was run. */
  readonly origin: string | null;
  /** Hooks that failed after what they follow. */
  readonly hookProblems: readonly HookProblem[];
  /** Findings of an experiment and of the rules for CI, in lines; empty for other runs. */
  readonly findings: readonly { readonly tone: 'note' | 'warning'; readonly text: string }[];
  /** Table of pass@k and pass^k; without rows where a case was never judged. */
  readonly passOfK: ReturnType<typeof passOfKTable> | undefined;
  /** How many cases are flaky, in words; empty for a run without repeats. */
  readonly flaky: string;
  readonly scenarios: readonly Pick<RunScenario, 'name' | 'file'>[];
  /** Of the tables of scenarios and variants. */
  readonly rates: readonly PlacedRate[];
  /** Trials that did not pass, by cause. */
  readonly problems: ReadClusters;
  readonly comparison: ComparisonPage | null;
  /** The view of an address that names none. */
  readonly firstView: 'overview' | 'comparison' | 'variants';
  /** All variants in one table, for experiments and where it was requested. */
  readonly variants: VariantsPage | null;
  /** How each variant copes with named sets of faults; empty for a run without them. */
  readonly resilience: readonly ResilienceView[];
  /** The attacks on each variant; empty for a run that was not attacked. */
  readonly attacks: readonly AttackView[];
  /** The tests of tools that are called directly; null for runs without criteria. */
  readonly criteria: CriteriaReport | null;
}

/** Outcomes by the number that stands for them in a row. */
export const outcomes: readonly Outcome[] = ['pass', 'fail', 'error', 'skipped'];

/** One trial in the list; scenarios and variants are numbers of its page. */
type PackedRow = readonly [
  ordinal: number,
  trialId: string,
  scenario: number,
  variant: number,
  caseId: string,
  repeat: number,
  outcome: number,
  reason: string,
  faultCode: string,
  durationMs: number | null,
  costUsd: number | null,
  inputTokens: number | null,
  outputTokens: number | null,
  reused: 0 | 1,
  /** Of its case for people, where that is not its id. */
  caseName?: string,
];

/** How assertions stand, by the number that stands for them in a row. */
export const verdicts: readonly GridVerdict[] = ['pass', 'fail', 'error', 'skipped'];

/** Results of one trial for the grid of cases; assertions and metrics are numbers of its page. */
type PackedResults = readonly [
  /** `0`: those of the trial before, which is of the same case. */
  texts: readonly [input: string | null, expected: string | null] | 0,
  answer: string | null,
  /** Assertion and verdict, in turn. */
  verdicts: readonly number[],
  /** Metric and value, in turn. */
  metrics: readonly (number | null)[],
];

/** The run that a trial belongs to: that of the page, or the one that it is compared with. */
export type PageSide = '' | 'a';

/** Neighbouring trials, with the names that they share. */
export interface RowPage {
  readonly side: PageSide;
  readonly scenarios: readonly (readonly [name: string, file: string])[];
  readonly variants: readonly Variant[];
  readonly evaluators: readonly string[];
  readonly metrics: readonly string[];
  readonly rows: readonly PackedRow[];
  readonly results: readonly PackedResults[];
  /** Whether inputs and answers are in the page. */
  readonly hasTexts: boolean;
}

/** All that the page holds of one trial; a trace that was left out is null. */
export interface TrialDetail {
  readonly record: TrialRecord;
  readonly trace: Trace | null;
  /** The unobserved part of the trial, in lines: the program of the page has no words for it. */
  readonly notObserved: readonly string[];
  /** Names the part that was reused from an earlier run, in a sentence. */
  readonly reuse?: string | undefined;
}

const rowsPerPage = 500;
/** In the list; the trial itself has all of it. */
const longestReason = 300;

/** In the grid; the trial itself has all of it. */
const longestText = 160;
/** Characters of inputs and answers in a page; trials that come later are without. */
const mostText = 12_000_000;

/** The trials of a run as rows of a list, in plan order. */
export async function* rowPages({ store, summary }: StoredRun): AsyncGenerator<RowPage, void> {
  let written = 0;
  let page = new PageOfRows('', true);
  for await (const record of eachTrial(store, summary.run.runId)) {
    page.add(record);
    if (page.rows.length < rowsPerPage) continue;
    yield page.packed();
    written += page.characters;
    page = new PageOfRows('', written < mostText);
  }
  if (page.rows.length > 0) yield page.packed();
}

/** The trials of the run that this one is compared with, as far as the comparison leads to them. */
export function rowsOfA(records: readonly TrialRecord[]): RowPage {
  const page = new PageOfRows('a', false);
  for (const record of records) page.add(record);
  return page.packed();
}

class PageOfRows {
  readonly rows: PackedRow[] = [];
  /** Of inputs, expected values and answers. */
  characters = 0;
  readonly #side: PageSide;
  readonly #hasTexts: boolean;
  readonly #results: PackedResults[] = [];
  readonly #scenarios = new Map<string, number>();
  readonly #variants = new Map<string, number>();
  readonly #evaluators = new Map<string, number>();
  readonly #metrics = new Map<string, number>();
  #lastCase = '';

  constructor(side: PageSide, hasTexts: boolean) {
    this.#side = side;
    this.#hasTexts = hasTexts;
  }

  add(record: TrialRecord): void {
    const name = caseName(record.caseId, record.excerpt?.input);
    this.rows.push([
      record.ordinal,
      record.trialId,
      numberOf(this.#scenarios, JSON.stringify([record.scenario, record.file])),
      numberOf(this.#variants, JSON.stringify(record.variant)),
      record.caseId,
      record.repeat,
      outcomes.indexOf(record.outcome),
      shorten(record.reason, longestReason),
      record.fault?.code ?? '',
      rounded(record.durationMs, 3),
      rounded(record.costUsd, 8),
      record.usage?.inputTokens ?? null,
      record.usage?.outputTokens ?? null,
      isReused(record) ? 1 : 0,
      ...((name === record.caseId ? [] : [name]) as [caseName?: string]),
    ]);
    if (this.#side === '') this.#results.push(this.#resultsOf(record));
  }

  packed(): RowPage {
    return {
      side: this.#side,
      scenarios: [...this.#scenarios.keys()].map((key) => JSON.parse(key)),
      variants: [...this.#variants.keys()].map((key) => JSON.parse(key)),
      evaluators: [...this.#evaluators.keys()],
      metrics: [...this.#metrics.keys()],
      rows: this.rows,
      results: this.#results,
      hasTexts: this.#hasTexts,
    };
  }

  #resultsOf(record: TrialRecord): PackedResults {
    const { verdicts: given, metrics } = gridTrial(record);
    const { input, expected, expectedBehavior, answer } = record.excerpt ?? {};
    return [
      this.#isNextOfCase(record) ? 0 : [this.#text(input), this.#text(expected ?? expectedBehavior)],
      this.#text(answer),
      given.flatMap(([column, verdict]) => [numberOf(this.#evaluators, column), verdicts.indexOf(verdict)]),
      Object.entries(metrics).flatMap(([name, value]) => [numberOf(this.#metrics, name), rounded(value, 6)]),
    ];
  }

  #isNextOfCase({ scenario, file, caseId }: TrialRecord): boolean {
    const key = JSON.stringify([scenario, file, caseId]);
    const isSame = key === this.#lastCase;
    this.#lastCase = key;
    return isSame;
  }

  #text(text: string | undefined): string | null {
    if (text === undefined || !this.#hasTexts) return null;
    const cut = shorten(text, longestText);
    this.characters += cut.length;
    return cut;
  }
}

function numberOf(numbers: Map<string, number>, key: string): number {
  const number = numbers.get(key) ?? numbers.size;
  numbers.set(key, number);
  return number;
}

function rounded(value: number | null, digits: number): number | null {
  return value !== null && Number.isFinite(value) ? Number(value.toFixed(digits)) : null;
}
