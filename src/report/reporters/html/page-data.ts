import type { HookProblem } from '../../../domain/hook-problem.ts';
import type { Outcome } from '../../../domain/outcome.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { RunScenario, RunSummary } from '../../../domain/run.ts';
import type { Trace } from '../../../domain/trace.ts';
import type { Variant } from '../../../domain/variant.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { shorten } from '../../../shared/text.ts';
import type { Comparison } from '../../compare/comparison.ts';
import type { RunFigures } from '../../compare/run-figures.ts';
import type { AttackView } from '../../presentation/attack-text.ts';
import type { ResilienceView } from '../../presentation/resilience-text.ts';
import type { CriteriaReport } from '../criteria-report.ts';
import type { ReadClusters } from '../failure-clusters.ts';
import type { StoredRun } from '../reporter.ts';
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
  readonly scenarios: readonly Pick<RunScenario, 'name' | 'file'>[];
  /** Trials that did not pass, by cause. */
  readonly problems: ReadClusters;
  readonly comparison: Comparison | null;
  /** Preferences of a judge between the two sides, in sentences; empty where none was prompted. */
  readonly judgedTexts: readonly string[];
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
];

/** Neighbouring trials, with the names that they share. */
export interface RowPage {
  readonly scenarios: readonly (readonly [name: string, file: string])[];
  readonly variants: readonly Variant[];
  readonly rows: readonly PackedRow[];
}

/** All that the page holds of one trial; a trace that was left out is null. */
export interface TrialDetail {
  readonly record: TrialRecord;
  readonly trace: Trace | null;
}

const rowsPerPage = 500;
/** In the list; the trial itself has all of it. */
const longestReason = 300;

/** The trials of a run as rows of a list, in plan order. */
export async function* rowPages({ store, summary }: StoredRun): AsyncGenerator<RowPage, void> {
  let page = new PageOfRows();
  for await (const record of eachTrial(store, summary.run.runId)) {
    page.add(record);
    if (page.rows.length < rowsPerPage) continue;
    yield page.packed();
    page = new PageOfRows();
  }
  if (page.rows.length > 0) yield page.packed();
}

class PageOfRows {
  readonly rows: PackedRow[] = [];
  readonly #scenarios = new Map<string, number>();
  readonly #variants = new Map<string, number>();

  add(record: TrialRecord): void {
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
      record.cachedFrom === null ? 0 : 1,
    ]);
  }

  packed(): RowPage {
    return {
      scenarios: [...this.#scenarios.keys()].map((key) => JSON.parse(key)),
      variants: [...this.#variants.keys()].map((key) => JSON.parse(key)),
      rows: this.rows,
    };
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
