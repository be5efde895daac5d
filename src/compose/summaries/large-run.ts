import type { RunHeader } from '../../domain/run.ts';

/** With more trials, reading all of them takes longer than a page may. */
const mostTrials = 1_000;

/** Whether what pages need of all trials of a run is kept in the store when it has ended. */
export function isLargeRun({ planned }: Pick<RunHeader, 'planned'>): boolean {
  return planned > mostTrials;
}
