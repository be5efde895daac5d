import type { RunHeader } from '../../../domain/run.ts';
import type { ServerContext } from '../context.ts';

/**
 * A run that no process claimed, such as one that is being imported, is known by what it stores: when nothing was stored
 * for this long, it is taken to be dead.
 */
const quietMs = 600_000;

/** Whether a run goes on: here and on workers for certain, elsewhere as far as the store tells. */
export async function isLive(run: RunHeader, { runs, sharedRuns, store }: ServerContext): Promise<boolean> {
  if (runs.isLive(run.runId)) return true;
  if (run.status !== 'running') return false;
  if (await store.findHolder(run.runId)) return true;
  const shared = await sharedRuns.find(run.runId);
  if (shared) return !shared.isEnded;
  const since = Date.now() - quietMs;
  if (run.startedAt >= since) return true;
  const { items } = await store.readTrialRows(run.runId, { limit: 1, order: 'started', isDescending: true });
  return items.some(({ startedAt, durationMs }) => startedAt + (durationMs ?? 0) >= since);
}
