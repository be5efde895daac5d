import type { AssayError } from '../domain/errors.ts';
import type { EvaluatedWorkspace } from '../domain/gate.ts';
import type { Fault } from '../domain/outcome.ts';
import type { Trace } from '../domain/trace.ts';
import type { TurnEvaluation } from './turn-evaluation.ts';

/** A trial after its target was tried, before it is evaluated. */
export interface Execution {
  readonly trace: Trace;
  readonly fault: Fault | undefined;
  readonly startedAt: number;
  /** Null where it was not measured, as in a file made elsewhere. */
  readonly durationMs: number | null;
  /** Where the target left one behind. */
  readonly workspace: EvaluatedWorkspace | undefined;
  /** To be called once the work was evaluated; rejects where it could not be put where it is kept. */
  readonly settleWork?: (() => Promise<void>) | undefined;
  /** Why the workspace is not available any more. */
  readonly workspaceFault?: AssayError | undefined;
  /** Id of the cached trial whose result was used: nothing was spent for this one. */
  readonly cachedFrom?: string | undefined;
  /** Where it differs from the folder named in the trace. */
  readonly artifacts?: string | null | undefined;
  /** Results of each turn; undefined for a target that does not answer in turns. */
  readonly conversation: TurnEvaluation | undefined;
}
