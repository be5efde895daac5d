import type { TrialRecord } from './record.ts';

type Origin = Pick<TrialRecord, 'cachedFrom' | 'hasReusedVerdict'>;

/** Whether a trial, or a verdict that it rests on, was observed in an earlier run: it is not evidence of this one. */
export function isReused({ cachedFrom, hasReusedVerdict }: Origin): boolean {
  return cachedFrom !== null || hasReusedVerdict === true;
}

export const reusedVerdictText = 'The verdict was reused from an earlier run; the judge did not run again.';

/** Names the reused part in a sentence; undefined where everything was observed in this run. */
export function reuseText({ cachedFrom, hasReusedVerdict }: Origin): string | undefined {
  if (cachedFrom !== null) return `Reused from trial ${cachedFrom} of an earlier run; it was not run again.`;
  return hasReusedVerdict ? reusedVerdictText : undefined;
}
