import type { RunHeader } from '../../../domain/run.ts';
import type { Page, TrialRow, TrialRowRequest } from '../../../keep/store/store.ts';
import type { Comparison } from '../../../report/compare/comparison.ts';
import type { PackedSide } from '../../../report/compare/packed-side.ts';
import type { VariantTable } from '../../../report/compare/variants/variant-table.ts';
import type { CountedRun } from '../../../report/reporters/run-view.ts';
import type { BreakdownReport } from '../../../report/reporters/sections/breakdown.ts';
import type { FileCheck } from '../api/project.ts';
import type { RunPlan, StartRun } from '../api/runs.ts';
import type { CheckedText } from '../files/check-text.ts';
import type { CaseOrder } from '../grid/case-order.ts';
import type { GridSelection } from '../grid/grid-query.ts';
import type { ComparedPart } from '../runs/report-pieces.ts';
import type { ComparedRuns, ComparedVariants, SeveralRuns } from './comparisons.ts';

/** Work that takes so long that it is done in another process, as data that can be sent to it. */
export type HeavyTask = (
  | { readonly kind: 'compare'; readonly storeUrl: string; readonly runs: ComparedRuns }
  | {
      /** One side of a comparison, whose other side is read at the same time. */
      readonly kind: 'side';
      readonly storeUrl: string;
      readonly run: RunHeader;
      readonly comparedWith: RunHeader;
    }
  | { readonly kind: 'variants'; readonly storeUrl: string; readonly variants: ComparedVariants }
  | { readonly kind: 'breakdown'; readonly storeUrl: string; readonly run: RunHeader }
  | { readonly kind: 'figures'; readonly storeUrl: string; readonly run: RunHeader }
  | {
      readonly kind: 'trials';
      readonly storeUrl: string;
      readonly run: RunHeader;
      readonly request: TrialRowRequest;
    }
  | {
      readonly kind: 'report';
      readonly storeUrl: string;
      readonly env: Readonly<Record<string, string | undefined>>;
      readonly run: RunHeader;
      /** Name of the reporter. */
      readonly format: string;
      readonly compared: ComparedPart;
    }
  | {
      readonly kind: 'remove';
      readonly storeUrl: string;
      readonly env: Readonly<Record<string, string | undefined>>;
      readonly runIds: readonly string[];
    }
  | {
      readonly kind: 'plan';
      readonly storeUrl: string;
      readonly env: Readonly<Record<string, string | undefined>>;
      readonly wish: StartRun;
    }
  | { readonly kind: 'several-runs'; readonly storeUrl: string; readonly several: SeveralRuns }
  | {
      readonly kind: 'grid';
      readonly storeUrl: string;
      readonly run: RunHeader;
      readonly selection: GridSelection;
    }
  | {
      readonly kind: 'check';
      readonly env: Readonly<Record<string, string | undefined>>;
      readonly written: CheckedText;
      /** Files of the scenarios of other files, by name. */
      readonly others: ReadonlyMap<string, string>;
    }
) & {
  /** Folder of the project. */
  readonly folder: string;
};

/** The results by the kind of task. */
export interface HeavyResults {
  readonly compare: Comparison;
  readonly side: PackedSide;
  readonly variants: VariantTable;
  readonly 'several-runs': VariantTable;
  readonly grid: CaseOrder;
  readonly check: FileCheck;
  readonly plan: RunPlan;
  readonly breakdown: BreakdownReport;
  readonly figures: CountedRun;
  readonly trials: Page<TrialRow>;
  /** Its text is handed over in pieces. */
  readonly report: null;
  /** Ids of the runs that were removed. */
  readonly remove: readonly string[];
}

/** The runs that a task reads. */
export function runsOf(task: HeavyTask): readonly RunHeader[] {
  switch (task.kind) {
    case 'compare':
      return task.runs.a.runId === task.runs.b.runId ? [task.runs.a] : [task.runs.a, task.runs.b];
    case 'several-runs':
      return task.several.runs;
    case 'variants':
      return [task.variants.run];
    case 'breakdown':
    case 'figures':
    case 'grid':
    case 'trials':
    case 'report':
      return [task.run];
    default:
      return [];
  }
}

/** Tasks wait for a place of their lane only. */
export function laneOf({ kind }: HeavyTask): 'quick' | 'long' | 'reports' {
  if (kind === 'report') return 'reports';
  return ['check', 'plan', 'figures', 'trials', 'remove'].includes(kind) ? 'quick' : 'long';
}
