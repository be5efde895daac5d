import { eachTrial } from '../../../keep/store/store.ts';
import { type AttackTable, attackTables } from '../../compare/attack-table.ts';
import { templatesOf } from '../../compare/case-rates.ts';
import type { StoredRun } from '../reporter.ts';

/** The attacks of a run; none where it was not attacked. */
export async function readAttackTables({ store, summary }: StoredRun): Promise<AttackTable[]> {
  const { runId, request } = summary.run;
  return request.attacks ? attackTables(eachTrial(store, runId), templatesOf(summary.run)) : [];
}
