import type { RunHeader } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import { counted } from '../../shared/format.ts';

const mostRuns = 50;
const fewestOthers = 2;

/**
 * A warning where the best of several runs becomes a baseline: part of its rate is luck, so unchanged runs look worse beside it more often
 * than the error rate says (the best of five: 10 % instead of 5 %). The newest run was hardly chosen for its rate.
 */
export async function bestOfSeveral(run: RunHeader, store: Store): Promise<string | undefined> {
  const alike = (await store.listRuns(mostRuns)).filter(
    (each) => each.status === 'finished' && contentOf(each) === contentOf(run),
  );
  const others = alike.filter(({ runId }) => runId !== run.runId);
  if (others.length < fewestOthers || alike[0]?.runId === run.runId) return undefined;
  const own = await passedShare(run, store);
  for (const other of others) if ((await passedShare(other, store)) >= own) return undefined;
  const beside = `${counted(others.length, 'other run')} of the same scenarios`;
  return `${run.runId} passed more often than ${beside}. Part of that is luck, so unchanged runs may look worse beside it. Choose the newest run, or one with more repeats.`;
}

/** Another commit may have another tool, which is better for a reason. */
function contentOf({ scenarios, source }: RunHeader): string {
  return JSON.stringify([source?.commit, scenarios.map(({ name, contentHash }) => [name, contentHash]).sort()]);
}

async function passedShare({ runId }: RunHeader, store: Store): Promise<number> {
  const { pass, fail } = await store.countTrials(runId);
  return pass / Math.max(1, pass + fail);
}
