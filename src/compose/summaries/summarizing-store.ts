import type { RunHeader } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import { isLargeRun } from './large-run.ts';
import type { RunningSummary } from './running-summary.ts';

/** Of the time of a run. */
const usualShare = 0.03;

/**
 * The store as a process has it that runs, imports or rescores: the lists of a large run need something of each of its trials,
 * which is kept when the run has finished, and the first who opens them does not wait. A run that was interrupted or resumed
 * is read when it is opened.
 */
export function summarizing(store: Store, mostShare = usualShare): Store {
  const running = new Map<string, RunningSummary>();
  const giveUp = (runId: string | undefined): void => running.get(runId ?? '')?.giveUp();
  return {
    ...store,
    async createRun(run) {
      await store.createRun(run);
      if (!isLargeRun(run)) return;
      // Small runs have no need of that code.
      const { RunningSummary } = await import('./running-summary.ts');
      running.set(run.runId, new RunningSummary(run, store, mostShare));
    },
    async saveTrials(trials) {
      await store.saveTrials(trials);
      const summary = running.get(trials[0]?.record.runId ?? '');
      if (summary) await summary.add(trials.map(({ record }) => record));
    },
    async replaceTrials(trials) {
      giveUp(trials[0]?.record.runId);
      await store.replaceTrials(trials);
    },
    async replaceWaiting(trials) {
      giveUp(trials[0]?.record.runId);
      await store.replaceWaiting(trials);
    },
    async setAsideErrors(runId, ...given) {
      giveUp(runId);
      return store.setAsideErrors(runId, ...given);
    },
    async releaseRun(runId, claimId, ending) {
      const isReleased = await store.releaseRun(runId, claimId, ending);
      const summary = running.get(runId);
      running.delete(runId);
      if (isReleased && summary && ending?.status === 'finished') await keep(runId, summary).catch(() => undefined);
      return isReleased;
    },
  };

  async function keep(runId: string, summary: RunningSummary): Promise<void> {
    const run = await store.findRun(runId);
    if (run) await summary.keep(run);
  }
}

/** The same for a run that workers have finished. */
export async function summarizeFinished(store: Store, run: RunHeader): Promise<void> {
  if (run.status !== 'finished' || !isLargeRun(run)) return;
  const { summarize } = await import('./summarize.ts');
  // Without a summary the run is read when it is opened.
  await summarize(store, run).catch(() => undefined);
}
