import type { RunStreamEvent, TrialItem } from '../../../src/entry/server/api/runs.ts';

export type Progress = Extract<RunStreamEvent, { type: 'progress' }>;

/** What the events of a run have told so far. */
export interface RunProgress {
  readonly progress: Progress | null;
  /** Trials that did not pass, the newest first; the last few. */
  readonly failures: readonly TrialItem[];
  readonly warnings: readonly string[];
  readonly ended: Extract<RunStreamEvent, { type: 'finished' | 'failed' }> | null;
}

/** Nothing told yet. */
export const nothingTold: RunProgress = { progress: null, failures: [], warnings: [], ended: null };

const keptFailures = 20;
const keptWarnings = 20;

/** What is known after one more event. An event that arrives twice changes nothing. */
export function afterEvent(known: RunProgress, event: RunStreamEvent): RunProgress {
  if (event.type === 'progress')
    return { ...known, progress: event, failures: withNewFailures(known.failures, event.recent) };
  if (event.type === 'warning') {
    if (known.warnings.includes(event.message)) return known;
    return { ...known, warnings: [...known.warnings, event.message].slice(-keptWarnings) };
  }
  return { ...known, ended: event };
}

function withNewFailures(failures: readonly TrialItem[], recent: readonly TrialItem[]): readonly TrialItem[] {
  const known = new Set(failures.map(({ trialId }) => trialId));
  const fresh = recent.filter(({ outcome, trialId }) => outcome !== 'pass' && !known.has(trialId));
  return fresh.length === 0 ? failures : [...fresh, ...failures].slice(0, keptFailures);
}
