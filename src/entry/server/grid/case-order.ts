import { eachCase } from '../../../compose/summaries/each-case.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { Store } from '../../../keep/store/store.ts';
import { type GridTrial, gridTrial } from '../../../report/compare/grid/grid-figures.ts';
import { gridFilter } from '../../../report/compare/grid/grid-filter.ts';
import type { ListedTrial } from '../../../report/compare/grid/listed-trial.ts';
import { inOrder, sortFigure } from '../../../report/compare/grid/sort-figure.ts';
import { LostColumn } from './column-texts.ts';
import { type Cases, columnCases, oneByOne, variantKeys } from './column-trials.ts';
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

/** Orders the cases of a run by the columns that are kept of it, or by its trials where none are. */
export async function orderCases(store: Store, run: RunHeader, selection: GridSelection): Promise<CaseOrder> {
  const columns = await columnCases(store, run, selection);
  try {
    if (columns) return await inOrderOf(columns, selection, (trial) => trial);
  } catch (error) {
    if (!(error instanceof LostColumn)) throw error;
  }
  return inOrderOf(oneByOne(eachCase(store, run)), selection, gridTrial);
}

/** Of each case only what it is sorted by stays in memory. */
async function inOrderOf<Trial extends ListedTrial>(
  source: AsyncIterable<Cases<Trial>>,
  selection: GridSelection,
  resultsOf: (trial: Trial) => GridTrial,
): Promise<CaseOrder> {
  const { keeps, matches } = gridFilter(gridConditions(selection), variantKeys());
  const cases: OrderedCase[] = [];
  let unsearched = 0;
  for await (const group of source)
    for (const trials of group) {
      const kept = trials.filter(keeps);
      if (selection.text) unsearched += kept.filter(({ excerpt }) => !excerpt).length;
      if (kept.length === 0 || !matches(kept, resultsOf)) continue;
      const figure = sortFigure(selection.sort, kept, resultsOf);
      cases.push({ ordinals: kept.map(({ ordinal }) => ordinal), figure });
    }
  return { ...packed(inOrder(cases, selection)), unsearched };
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
