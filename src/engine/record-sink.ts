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
