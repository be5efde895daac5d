import type { JudgeShare } from '../../domain/judge-share.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { RunSummary } from '../../domain/run.ts';
import type { Case } from '../../domain/scenario.ts';
import type { Store } from '../../keep/store/store.ts';
import type { VarianceSplit } from '../../shared/stats/variance-split.ts';
import type { ComparisonOfRows } from '../compare/comparison.ts';
import type { JudgedRanking } from '../compare/judged-ranking.ts';
import type { BaselineCheck } from '../compare/regressions.ts';
import type { VariantTable } from '../compare/variants/variant-table.ts';

/** The source of a report; records are read back in pages. */
export interface StoredRun {
  readonly summary: RunSummary;
  readonly store: Store;
  /** The case of a trial as its file has it; undefined where the file is not what the run was made with. */
  caseOf?(trial: TrialRecord): Promise<Case | undefined>;
  /** Spending of its judges, null without any; undefined where the records are to be read for it. */
  readonly judgeShare?: JudgeShare | null | undefined;
  /** With another run, where one was requested. */
  readonly comparison?: ComparisonOfRows | undefined;
  /** View that an HTML page opens with; by default that of the run. */
  readonly opensWith?: 'comparison' | 'variants' | undefined;
  /** Demands on the run beside those of its files. */
  readonly demands?: RunDemands | undefined;
  /** All variants of the run in one table, where it was requested; experiments have theirs anyway. */
  readonly variants?: VariantTable | undefined;
  /** Variants ranked by the preferences of a judge, beside their table. */
  readonly ranking?: JudgedRanking | undefined;
  /** Sources of the spread of a judge's scores, where it judged each trial several times. */
  readonly judgeVariance?: VarianceSplit | undefined;
}

/** Demands of a request on a run, and its check against a baseline. */
interface RunDemands {
  readonly minPassRate?: number | undefined;
  readonly check?: BaselineCheck | undefined;
}

export interface ReportStyle {
  readonly color: boolean;
  /** Columns of the terminal; undefined where the report goes elsewhere. */
  readonly width?: number | undefined;
}

/** One way to write down a stored run. Reports are made piece by piece, so a run of any size can be written. */
export interface Reporter {
  readonly name: string;
  readonly summary: string;
  /** Name of the file when the report goes into a folder. */
  readonly fileName: string;
  render(run: StoredRun, style: ReportStyle): AsyncIterable<string>;
}
