import type { AssayError } from './errors.ts';

/** The work that an agent left behind, where gates and scripts look at it. */
export interface EvaluatedWorkspace {
  /** Absolute: the work directory, in which commands of gates and scripts run. */
  readonly directory: string;
  /** Everything that gates and scripts get as environment; nothing else of ours reaches them. */
  readonly env: Readonly<Record<string, string>>;
  /** What the agent printed, as far as it was kept. */
  readonly transcriptFile: string;
  /** Why a gate that passes proves nothing: all of them held before the agent started. */
  readonly nothingProven?: AssayError | undefined;
}
