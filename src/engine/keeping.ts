import type { Trial } from '../domain/trial.ts';
import type { FinishedTrial } from '../store/store.ts';

/** What becomes of a finished trial before it is stored. */
export interface Keeping {
  /** The same without secrets. */
  redact(finished: FinishedTrial): FinishedTrial;
  /** For a trial with an agent: leaves in its folder what people and scripts look at. Rejects when that fails. */
  leaveArtifacts(trial: Trial, finished: FinishedTrial): Promise<void>;
}

/** Results of trials with agents that need not run again. */
export interface TrialReuse {
  /** The result of the same trial in an earlier run. */
  find(trial: Trial): Promise<FinishedTrial | undefined>;
  /** Keeps a result that can be taken over. */
  keep(trial: Trial, finished: FinishedTrial): Promise<void>;
}
