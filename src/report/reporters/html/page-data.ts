import type { Outcome } from '../../../domain/outcome.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { RunScenario, RunSummary } from '../../../domain/run.ts';
import type { Trace } from '../../../domain/trace.ts';
import type { Variant } from '../../../domain/trial.ts';
import type { Comparison } from '../../compare/comparison.ts';
import type { RunFigures } from '../../compare/run-figures.ts';
import type { ReadClusters } from '../read-failure-clusters.ts';

/** What the page knows of the run as a whole. */
export interface PageHead extends Omit<RunSummary, 'run'>, RunFigures {
  readonly runId: string;
  readonly startedAt: number;
  readonly status: RunSummary['run']['status'];
  readonly assayVersion: string;
  /** Where the trials come from when nothing was run. */
  readonly origin: string | null;
  readonly scenarios: readonly Pick<RunScenario, 'name' | 'file'>[];
  /** What did not pass, by what went wrong. */
  readonly problems: ReadClusters;
  readonly comparison: Comparison | null;
}

/** Outcomes by the number that stands for them in a row. */
export const outcomes: readonly Outcome[] = ['pass', 'fail', 'error', 'skipped'];

/** One trial in the list; scenarios and variants are numbers of its page. */
export type PackedRow = readonly [
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
