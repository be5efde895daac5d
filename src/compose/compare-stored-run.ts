import { isDeepStrictEqual } from 'node:util';
import type { SqlDatabase } from '../keep/store/sql/sql-database.ts';
import { StoredTrials } from '../keep/store/sql/stored-trials.ts';
import { readOr } from './stored-runs.ts';

/** In what a copy of a run differs from the run; trials that only the copy has are no difference. */
export async function compareRun(from: SqlDatabase, to: SqlDatabase, runId: string): Promise<string[]> {
  const problems: string[] = [];
  const [read, readCopy] = [new StoredTrials(from.db), new StoredTrials(to.db)];
  let trials = 0;
  let unreadable = 0;
  for await (const page of read.pages(runId)) {
    trials += page.length;
    const copies = await readCopy.byId(page.map(({ trialId }) => trialId));
    for (const trial of page) {
      const copy = copies.get(trial.trialId);
      // What is damaged here was told of when it was copied.
      const wanted = await readOr(trial, () => unreadable++);
      if (!wanted) continue;
      if (!copy) {
        problems.push(`Trial ${trial.trialId} of run ${runId} is missing in the copy.`);
        continue;
      }
      const found = await readOr(copy, (reason) => problems.push(`In the copy: ${reason}`));
      if (found && !isDeepStrictEqual(found, wanted))
        problems.push(`Trial ${trial.trialId} of run ${runId} is another one in the copy.`);
    }
  }
  const [counts, copied] = [await from.store.countByCell(runId), await to.store.countByCell(runId)];
  const total = copied.reduce((sum, { pass, fail, error, skipped }) => sum + pass + fail + error + skipped, 0);
  if (problems.length === 0 && unreadable === 0 && total <= trials && !isDeepStrictEqual(counts, copied))
    problems.push(`The trials of run ${runId} are counted differently in the copy.`);
  return problems;
}
