import type { RepeatFigures } from '../../../report/compare/run-figures.ts';
import type { RunDetail } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { isLive } from '../live/is-live.ts';
import { countRun } from './counted-run.ts';
import { findRun } from './find-run.ts';
import { runItem } from './run-item.ts';

/** All that the page of a run shows at once. */
export async function runDetail(runId: string, context: ServerContext): Promise<RunDetail> {
  const header = await findRun(context.store, runId);
  const isGoingOn = await isLive(header, context);
  const { counts, cells, figures } = await countRun(header, context);
  const item = runItem(header, counts, isGoingOn);
  const stored = counts.pass + counts.fail + counts.error;
  return {
    ...item,
    header,
    usage: counts.usage,
    passRate: figures.passRate,
    reused: figures.reused,
    cases: figures.cases,
    repeats: figures.repeats && shownRepeats(figures.repeats),
    cells: [...cells],
    canCancel: isGoingOn && (await canCancel(header.runId, context)),
    canResume: !isGoingOn && header.status !== 'finished' && item.origin === 'run',
    canRetryErrors: !isGoingOn && counts.error > 0 && item.origin === 'run',
    canRescore: !isGoingOn && stored > 0 && item.origin !== 'import' && item.origin !== 'evaluate',
  };
}

const mostCases = 100;

/** Cases that did not always pass: the flakiest of them. */
function shownRepeats({ cases, flaky, unsteady, passAtK, passHatK }: RepeatFigures): RunDetail['repeats'] {
  return { cases, flaky, unsteady: unsteady.slice(0, mostCases), passAtK: [...passAtK], passHatK: [...passHatK] };
}

/** Here and on workers; what goes on in a terminal is ended there. */
async function canCancel(runId: string, { runs, sharedRuns }: ServerContext): Promise<boolean> {
  return runs.isLive(runId) || (await sharedRuns.find(runId)) !== undefined;
}
