import type { AssayError } from '../domain/errors.ts';
import type { EvaluatedWorkspace } from '../domain/gate.ts';
import type { Fault } from '../domain/outcome.ts';
import type { EmitTrace, Trace, TraceEvent } from '../domain/trace.ts';
import type { Trial } from '../domain/trial.ts';
import type { TurnControl } from '../drive/targets/target.ts';
import type { Evaluating } from './evaluate.ts';
import type { AttemptLimits } from './limits.ts';
import type { TargetPool } from './target-pool.ts';
import type { TurnEvaluation } from './turn-evaluation.ts';

/** What became of a trial before it was judged. */
export interface Execution {
  readonly trace: Trace;
  readonly fault: Fault | undefined;
  readonly startedAt: number;
  /** Null where nobody measured it, as in a file made elsewhere. */
  readonly durationMs: number | null;
  /** Where the target left one behind. */
  readonly workspace: EvaluatedWorkspace | undefined;
  /** Why there is none any more. */
  readonly workspaceFault?: AssayError | undefined;
  /** Id of the trial whose result was taken over: nothing was spent for this one. */
  readonly cachedFrom?: string | undefined;
  /** Where it differs from what the trace says. */
  readonly artifacts?: string | null | undefined;
  /** What was said on the way; undefined where nobody was asked on the way. */
  readonly conversation: TurnEvaluation | undefined;
}

/** Tries the target once within the scenario's time limit. Every fault ends in the execution, none is thrown. */
export async function execute(
  trial: Trial,
  targets: TargetPool,
  limits: AttemptLimits,
  evaluating: Evaluating,
): Promise<Execution | 'interrupted'> {
  const startedAt = Date.now();
  const began = performance.now();
  const trace: TraceEvent[] = [];
  const emit: EmitTrace = (event) => {
    trace.push({ at: roundMs(performance.now() - began), seenBy: 'engine', ...event } as TraceEvent);
  };
  let workspace: EvaluatedWorkspace | undefined;
  const conversation = targets.isConversation(trial.scenario) ? evaluating.conversation(trial, trace) : undefined;
  const timeoutMs = targets.isAgentDriven(trial.scenario) ? undefined : trial.scenario.timeoutMs;
  const fault = await limits.within(timeoutMs, async (stop) => {
    // Not `using`: what it compiles to for Node 20 costs as much as the rest of this function.
    const lease = targets.leaseOpen(trial.scenario) ?? (await targets.lease(trial.scenario, stop));
    try {
      workspace = (await lease.target.attempt(trial, emit, stop, conversation ?? untilItEnds))?.workspace;
    } finally {
      lease[Symbol.dispose]();
    }
  });
  if (fault === 'interrupted') return fault;
  return { trace, fault, startedAt, durationMs: roundMs(performance.now() - began), workspace, conversation };
}

/** For targets that give one answer: nobody stops them. */
const untilItEnds: TurnControl = {
  afterTurn: async (isLast) => ((typeof isLast === 'boolean' ? isLast : await isLast()) ? 'stop' : 'go on'),
};

function roundMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}
