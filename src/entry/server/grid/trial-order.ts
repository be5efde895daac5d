import { eachCase } from '../../../compose/summaries/each-case.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { Store, TrialRowRequest } from '../../../keep/store/store.ts';
import { gridFilter, holdsText } from '../../../report/compare/grid/grid-filter.ts';
import { LostColumn } from './column-texts.ts';
import { type Cases, columnCases, oneByOne, variantKeys } from './column-trials.ts';

/** Which trials of a run are listed, in which order. */
export type TrialSelection = Omit<TrialRowRequest, 'limit' | 'cursor' | 'ordinals' | 'trialIds'>;

/** A trial of a column, or a record. */
type OrderedTrial = Parameters<ReturnType<typeof gridFilter>['keeps']>[0] & { readonly startedAt: number };

/** The places in the plan of the trials that a list has, in its order; by the columns of the run where they are kept. */
export async function orderTrials(store: Store, run: RunHeader, selection: TrialSelection): Promise<Int32Array> {
  const columns = await columnCases(store, run, { sort: 'plan', text: selection.text });
  try {
    if (columns) return await placesOf(columns, selection);
  } catch (error) {
    if (!(error instanceof LostColumn)) throw error;
  }
  return placesOf(oneByOne(eachCase(store, run)), selection);
}

async function placesOf(source: AsyncIterable<Cases<OrderedTrial>>, selection: TrialSelection): Promise<Int32Array> {
  const { scenario, variant, outcomes, text, order = 'plan', isDescending } = selection;
  const { keeps } = gridFilter({ scenario, variant }, variantKeys());
  const holds = text ? holdsText(text) : () => true;
  const found: { readonly ordinal: number; readonly figure: number }[] = [];
  for await (const cases of source)
    for (const trial of cases.flat()) {
      const isWanted = keeps(trial) && (!outcomes || outcomes.includes(trial.outcome));
      if (isWanted && (!text || namesOf(trial).some(holds)))
        found.push({ ordinal: trial.ordinal, figure: figures[order](trial) });
    }
  const sign = isDescending ? -1 : 1;
  found.sort((a, b) => sign * (a.figure - b.figure || a.ordinal - b.ordinal));
  return Int32Array.from(found, ({ ordinal }) => ordinal);
}

/** Before all figures that are known, as in the store. */
const unknown = -1;

const figures: Record<NonNullable<TrialSelection['order']>, (trial: OrderedTrial) => number> = {
  plan: ({ ordinal }) => ordinal,
  started: ({ startedAt }) => startedAt,
  duration: ({ durationMs }) => durationMs ?? unknown,
  cost: ({ costUsd }) => costUsd ?? unknown,
};

/** The texts that the store looks in. */
function namesOf({ scenario, caseId, reason, trialId, variant }: OrderedTrial): string[] {
  return [scenario, caseId, reason, trialId, ...Object.values(variant).filter((value) => value !== undefined)];
}
