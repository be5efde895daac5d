import type { Kysely } from 'kysely';
import type { Tables } from '../store/sql/tables.ts';
import { isServedBy, lacking, type Needs } from './distribution.ts';
import { openGroups } from './work-runs.ts';
import { listWorkers, type SeenWorker } from './workers.ts';

/** Trials that wait although nobody can run them. */
export interface UnservedGroup {
  readonly runId: string;
  readonly groupId: string;
  readonly message: string;
}

/** The groups of a run, or of all runs, in which something waits that no worker can run, with the reason. */
export async function unservedGroups(db: Kysely<Tables>, runId?: string): Promise<UnservedGroup[]> {
  const groups = (await openGroups(db)).filter((group) => group.hasWaiting && (!runId || group.runId === runId));
  if (groups.length === 0) return [];
  const workers = (await listWorkers(db)).filter(({ isLost, state }) => !isLost && state === 'working');
  return groups.flatMap(({ needs, groupId, runId: ofRun }) =>
    workers.some(({ facts }) => isServedBy(needs, facts))
      ? []
      : [
          {
            runId: ofRun,
            groupId,
            message: `Trials of ${ofRun} wait and nobody can run them: ${reason(needs, workers)}`,
          },
        ],
  );
}

function reason(needs: Needs, workers: readonly SeenWorker[]): string {
  if (workers.length === 0) return 'there is no worker; start one with `assay worker`.';
  const wanted = lacking(needs, { tags: [], agents: [], env: [], protocol: 0 }).join(', ');
  const nearest = workers
    .map(({ facts }) => ({ facts, missing: lacking(needs, facts) }))
    .sort((one, other) => one.missing.length - other.missing.length)[0];
  return `they need ${wanted}; the worker that comes nearest, ${nearest?.facts.workerId}, lacks ${nearest?.missing.join(', ')}.`;
}
