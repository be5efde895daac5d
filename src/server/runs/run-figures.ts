import type { RunCounts, RunHeader } from '../../domain/run.ts';
import type { CellCounts } from '../../store/store.ts';
import type { ServerContext } from '../context.ts';
import { endedKey } from '../runs-desk.ts';

/** What is counted of a run. */
export interface RunFigures {
  readonly counts: RunCounts;
  readonly cells: readonly CellCounts[];
}

/** The figures of a run; of one that has ended they are counted once. */
export function readRunFigures(run: RunHeader, { store, runsDesk }: ServerContext): Promise<RunFigures> {
  const count = async (): Promise<RunFigures> => ({
    counts: await store.countTrials(run.runId),
    cells: await store.countByCell(run.runId),
  });
  const key = endedKey(run);
  return key === undefined ? count() : runsDesk.figures.get(key, count);
}
