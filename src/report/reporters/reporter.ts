import type { RunSummary } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import type { VarianceSplit } from '../../shared/stats/variance-split.ts';
import type { Comparison } from '../compare/comparison.ts';

/** What a report is made from; records are read back in pages. */
export interface StoredRun {
  readonly summary: RunSummary;
  readonly store: Store;
  /** With another run, where one was asked for. */
  readonly comparison?: Comparison | undefined;
  /** Where the scores of a judge spread from, where it was asked several times about each trial. */
  readonly judgeVariance?: VarianceSplit | undefined;
}

export interface ReportStyle {
  readonly color: boolean;
}

/** One way to write down a stored run. Reports are made piece by piece, so that a run of any size can be written. */
export interface Reporter {
  readonly name: string;
  readonly summary: string;
  /** Name of the file when the report goes into a folder. */
  readonly fileName: string;
  render(run: StoredRun, style: ReportStyle): AsyncIterable<string>;
}
