import type { TrialRecord } from '../../../domain/record.ts';
import type { Trace } from '../../../domain/trace.ts';
import type { Comparison } from '../../compare/comparison.ts';
import type { JudgedRanking } from '../../compare/judged-ranking.ts';
import type { VariantTable } from '../../compare/variants/variant-table.ts';
import type { ClusteredFailures } from '../failure-clusters.ts';
import type { runView } from '../run-view.ts';
import type { BreakdownReport } from '../sections/breakdown.ts';

/** The run as a whole, as an HTML report holds it: answers of the server to the pages that it shows. */
export interface ReportDocument {
  readonly run: ReturnType<typeof runView>;
  readonly problems: Pick<ClusteredFailures, 'clusters' | 'isComplete'>;
  /** Ids of the trials of each cluster of problems. */
  readonly members: readonly (readonly [key: string, trialIds: readonly string[]])[];
  readonly breakdown: BreakdownReport;
  /** Null where nothing was compared. */
  readonly comparison: Comparison | null;
  /** All variants in one table, for experiments and where it was requested. */
  readonly variants: VariantTable | null;
  /** Variants ranked by the preferences of a judge. */
  readonly ranking: JudgedRanking | null;
  /** The page that an address without a page opens. */
  readonly opensWith: 'run' | 'comparison' | 'variants';
}

/** The run that a trial belongs to: that of the report, or the one that it is compared with. */
export type ReportSide = '' | 'a';

/** All that the report holds of one trial; a trace that was left out is null. */
export interface ReportedDetail {
  readonly record: TrialRecord;
  readonly trace: Trace | null;
}
