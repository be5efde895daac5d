import type { TrialRecord } from '../../domain/record.ts';
import type { RunHeader } from '../../domain/run.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import { caseKeyOf } from '../../report/compare/case-key.ts';
import { groupedBy } from '../../shared/grouped-by.ts';

/** Whether the trials of a case lie side by side: in every plan, and not where trials came one by one or in rounds. */
export function isInPlanOrder({ request }: RunHeader): boolean {
  return request.experiment === undefined && request.origin?.kind !== 'import' && request.origin?.kind !== 'rule';
}

/** Reads all trials of a run, case by case. */
export async function* eachCase(store: Store, run: RunHeader): AsyncGenerator<readonly TrialRecord[], void> {
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
