import { isLiveStatus, type RunHeader } from './run.ts';

/** The key of an ended run, which changes when the run is resumed; undefined while it is running. */
export function endedKey({ runId, status, finishedAt }: RunHeader): string | undefined {
  return isLiveStatus(status) || finishedAt === null ? undefined : `${runId}@${finishedAt}`;
}
