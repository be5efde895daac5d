import { isLiveStatus, type RunHeader } from '../../domain/run.ts';

/** Limits on what a store keeps; one that is left out limits nothing. */
export interface Retention {
  /** Runs that began before this time are removed. */
  readonly before?: number | undefined;
  /** The newest runs that stay. */
  readonly runs?: number | undefined;
  /** Total size of all runs in bytes. */
  readonly bytes?: number | undefined;
}

export interface RetentionSubject {
  /** The newest first. */
  readonly runs: readonly Pick<RunHeader, 'runId' | 'startedAt' | 'status'>[];
  /** Runs that stay whatever the limits are. */
  readonly protectedIds: ReadonlySet<string>;
  /** Bytes by run; needed only for a limit on the size. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** Ids of the runs that exceed a limit, the oldest first. A run that goes on, or is protected, never is among them. */
export function runsToRemove({ runs, protectedIds, sizes }: RetentionSubject, limits: Retention): string[] {
  const { before = Number.NEGATIVE_INFINITY, runs: count = Number.POSITIVE_INFINITY, bytes } = limits;
  const removable = runs.filter(({ runId, status }) => !isLiveStatus(status) && !protectedIds.has(runId));
  const place = new Map(runs.map(({ runId }, index) => [runId, index]));
  const removed = new Set(
    removable
      .filter(({ runId, startedAt }) => startedAt < before || (place.get(runId) ?? 0) >= count)
      .map(({ runId }) => runId),
  );
  if (bytes !== undefined) {
    const sizeOf = (runId: string) => sizes.get(runId) ?? 0;
    let total = runs.reduce((sum, { runId }) => sum + (removed.has(runId) ? 0 : sizeOf(runId)), 0);
    for (const { runId } of removable.toReversed()) {
      // The newest run stays: a limit below the size of one run would leave nothing to look at.
      if (total <= bytes || runId === runs[0]?.runId) break;
      if (removed.has(runId)) continue;
      removed.add(runId);
      total -= sizeOf(runId);
    }
  }
  return removable
    .map(({ runId }) => runId)
    .filter((runId) => removed.has(runId))
    .reverse();
}
