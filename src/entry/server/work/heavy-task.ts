import { openProject } from '../../../compose/config/project.ts';
import { removeRuns } from '../../../compose/store/clean-runs.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { openStore } from '../../../keep/store/open-store.ts';
import type { Store } from '../../../keep/store/store.ts';
import type { Comparison } from '../../../report/compare/comparison.ts';
import type { VariantTable } from '../../../report/compare/variants/variant-table.ts';
import { type BreakdownReport, readRunBreakdown } from '../../../report/reporters/run-breakdown.ts';
import type { FileCheck } from '../api/project.ts';
import type { RunPlan, StartRun } from '../api/runs.ts';
import { type CheckedText, checkText } from '../files/check-text.ts';
import { type CaseOrder, orderCases } from '../grid/case-order.ts';
import type { GridSelection } from '../grid/grid-filter.ts';
import { planRun } from '../runs/plan-run.ts';
import {
  type ComparedRuns,
  type ComparedVariants,
  compareRuns,
  compareSeveral,
  compareVariants,
  type SeveralRuns,
} from './comparisons.ts';

/** Work that takes so long that it is done in a thread, as data that can be sent to it. */
export type HeavyTask = (
  | { readonly kind: 'compare'; readonly storeUrl: string; readonly runs: ComparedRuns }
  | { readonly kind: 'variants'; readonly storeUrl: string; readonly variants: ComparedVariants }
  | { readonly kind: 'breakdown'; readonly storeUrl: string; readonly run: RunHeader }
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
  readonly variants: VariantTable;
  readonly 'several-runs': VariantTable;
  readonly grid: CaseOrder;
  readonly check: FileCheck;
  readonly plan: RunPlan;
  readonly breakdown: BreakdownReport;
  /** Ids of the runs that were removed. */
  readonly remove: readonly string[];
}

/** Does the work of a task. */
export async function doTask(task: HeavyTask): Promise<HeavyResults[HeavyTask['kind']]> {
  switch (task.kind) {
    case 'compare':
      return withStore(task, (store) => compareRuns(store, task.runs));
    case 'variants':
      return withStore(task, (store) => compareVariants(store, task.variants));
    case 'breakdown':
      return withStore(task, (store) => readRunBreakdown(store, task.run));
    case 'remove':
      return withStore(task, async (store) => removeRuns(store, await openProject(task.folder, task.env), task.runIds));
    case 'plan':
      return withStore(task, async (store) =>
        planRun(task.wish, { project: await openProject(task.folder, task.env), store, env: task.env }),
      );
    case 'several-runs':
      return withStore(task, (store) => compareSeveral(store, task.several));
    case 'grid':
      return withStore(task, (store) => orderCases(store, task.run, task.selection));
    case 'check':
      return checkText(task.written, {
        env: task.env,
        project: () => openProject(task.folder, task.env),
        scenariosBesides: async () => task.others,
      });
  }
}

async function withStore<Result>(
  { storeUrl, folder }: { readonly storeUrl: string; readonly folder: string },
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  await using store = await openStore(storeUrl, folder, { mustExist: true });
  return await work(store);
}
