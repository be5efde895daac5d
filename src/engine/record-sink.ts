import type { Trial } from '../domain/trial.ts';
import type { FinishedTrial } from '../keep/store/store.ts';

/** Redacts finished trials and writes their artifacts before they are stored. */
export interface RecordSink {
  /** The same without secrets. */
  redact(finished: FinishedTrial): FinishedTrial;
  redactText(text: string): string;
  /** For a trial with an agent: leaves in its folder what people and scripts look at. Rejects when that fails. */
  leaveArtifacts(trial: Trial, finished: FinishedTrial): Promise<void>;
}

/** A trial whose result may be taken over from an earlier run, or kept for a later one. */
export interface ReusableTrial {
  /** The result of the same trial in an earlier run. */
  readonly kept: FinishedTrial | undefined;
  /** Keeps the result of a trial that was run, unless its inputs changed while it ran. */
  keep(finished: FinishedTrial): Promise<void>;
}

/** Results of trials with agents that need not run again. */
export interface TrialReuse {
  /** To be called before the trial runs; undefined for one that must run and is not kept. */
  open(trial: Trial, warn: (message: string) => void): Promise<ReusableTrial | undefined>;
}
