import type { RunDetail } from '../../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { isLive } from '../live/is-live.ts';
import { findRun } from './find-run.ts';
import { readRunFigures } from './run-figures.ts';
import { runItem } from './run-item.ts';

/** All that the page of a run shows at once. */
export async function runDetail(runId: string, context: ServerContext): Promise<RunDetail> {
  const header = await findRun(context.store, runId);
  const isGoingOn = await isLive(header, context);
  const { counts, cells } = await readRunFigures(header, context);
  const item = runItem(header, counts, isGoingOn);
  const stored = counts.pass + counts.fail + counts.error;
  return {
    ...item,
    header,
    usage: counts.usage,
    cells: [...cells],
    canCancel: isGoingOn && (await canCancel(header.runId, context)),
    canResume: !isGoingOn && header.status !== 'finished' && item.origin === 'run',
    canRescore: !isGoingOn && stored > 0 && item.origin !== 'import' && item.origin !== 'evaluate',
  };
}

/** Here and on workers; what goes on in a terminal is ended there. */
async function canCancel(runId: string, { runs, sharedRuns }: ServerContext): Promise<boolean> {
  return runs.isLive(runId) || (await sharedRuns.find(runId)) !== undefined;
}
