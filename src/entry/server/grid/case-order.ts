import type { TrialRecord } from '../../../domain/record.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { eachTrial, type Store } from '../../../keep/store/store.ts';
import { caseKeyOf } from '../../../report/compare/case-key.ts';
import { gridTrial } from '../../../report/compare/grid/grid-figures.ts';
import { gridFilter } from '../../../report/compare/grid/grid-filter.ts';
import { inOrder, sortFigure } from '../../../report/compare/grid/sort-figure.ts';
import { groupedBy } from '../../../shared/grouped-by.ts';
import { type GridSelection, gridConditions } from './grid-query.ts';

/** The cases that a query lists, in its order: places in the plan of their trials, which are read page by page. */
export interface CaseOrder {
  /** Of the trials of all cases, one case after the other. */
  readonly ordinals: Int32Array;
  /** Where the trials of each case end in `ordinals`. */
  readonly ends: Int32Array;
  /** Trials whose texts are not in their records. */
  readonly unsearched: number;
}

interface OrderedCase {
  readonly ordinals: readonly number[];
  readonly figure: number | null;
}

/** Reads all trials of a run, and orders its cases. Of each case only what it is sorted by stays in memory. */
export async function orderCases(store: Store, run: RunHeader, selection: GridSelection): Promise<CaseOrder> {
  const { keeps, matches } = gridFilter(gridConditions(selection));
  const cases: OrderedCase[] = [];
  let unsearched = 0;
  for await (const group of eachCase(store, run)) {
    const kept = group.filter(keeps);
    if (selection.text) unsearched += kept.filter(({ excerpt }) => !excerpt).length;
    if (kept.length === 0 || !matches(kept)) continue;
    const figure = sortFigure(selection.sort, kept, gridTrial);
    cases.push({ ordinals: kept.map(({ ordinal }) => ordinal), figure });
  }
  return { ...packed(inOrder(cases, selection)), unsearched };
}

/** Whether the trials of a case lie side by side: in every plan, and not where trials came one by one or in rounds. */
export function isInPlanOrder({ request }: RunHeader): boolean {
  return request.experiment === undefined && request.origin?.kind !== 'import' && request.origin?.kind !== 'rule';
}

async function* eachCase(store: Store, run: RunHeader): AsyncGenerator<readonly TrialRecord[], void> {
  if (!isInPlanOrder(run)) return yield* scatteredCases(store, run);
  let group: TrialRecord[] = [];
  for await (const record of eachTrial(store, run.runId)) {
    if (group[0] && caseKeyOf(group[0]) !== caseKeyOf(record)) {
      yield group;
      group = [];
    }
    group.push(record);
  }
  if (group.length > 0) yield group;
}

/** All trials are kept until the last is read, as any of them may be of the first case. */
async function* scatteredCases(store: Store, { runId }: RunHeader): AsyncGenerator<readonly TrialRecord[], void> {
  const records: TrialRecord[] = [];
  for await (const record of eachTrial(store, runId)) records.push(record);
  yield* groupedBy(records, caseKeyOf).values();
}

function packed(cases: readonly OrderedCase[]): Pick<CaseOrder, 'ordinals' | 'ends'> {
  const ordinals = new Int32Array(cases.reduce((sum, each) => sum + each.ordinals.length, 0));
  const ends = new Int32Array(cases.length);
  let end = 0;
  for (const [index, each] of cases.entries()) {
    ordinals.set(each.ordinals, end);
    end += each.ordinals.length;
    ends[index] = end;
  }
  return { ordinals, ends };
}
