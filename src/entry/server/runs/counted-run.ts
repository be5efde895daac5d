import { type RunCounts, type RunHeader, summarizeRun } from '../../../domain/run.ts';
import type { CellCounts } from '../../../keep/store/store.ts';
import type { RunFigures } from '../../../report/compare/run-figures.ts';
import { readRunFigures } from '../../../report/reporters/read-run-figures.ts';
import type { ServerContext } from '../context.ts';
import { endedKey } from '../runs-desk.ts';

/** What is counted of a run. */
export interface CountedRun {
  readonly counts: RunCounts;
  readonly cells: readonly CellCounts[];
  readonly figures: RunFigures;
}

/** The counts and figures of a run; of one that has ended they are read once. */
export function countRun(run: RunHeader, { store, runsDesk }: ServerContext): Promise<CountedRun> {
  const count = async (): Promise<CountedRun> => {
    const counts = await store.countTrials(run.runId);
    const figures = await readRunFigures({ store, summary: summarizeRun(run, counts, Date.now()) });
    return { counts, cells: await store.countByCell(run.runId), figures };
  };
  const key = endedKey(run);
  return key === undefined ? count() : runsDesk.figures.get(key, count);
}
