import type { Fault } from '../domain/outcome.ts';
import type { EmitTrace, Trace, TraceEvent } from '../domain/trace.ts';
import type { Trial } from '../domain/trial.ts';
import type { EvaluatedWorkspace } from '../evaluators/evaluator.ts';
import type { AttemptLimits } from './limits.ts';
import type { TargetPool } from './target-pool.ts';

/** What became of a trial before it was judged. */
export interface Execution {
  readonly trace: Trace;
  readonly fault: Fault | undefined;
  readonly startedAt: number;
  readonly durationMs: number;
  /** Where the target left one behind. */
  readonly workspace: EvaluatedWorkspace | undefined;
}

/** Tries the target once within the scenario's time limit. Every fault ends in the execution, none is thrown. */
export async function execute(
  trial: Trial,
  targets: TargetPool,
  limits: AttemptLimits,
): Promise<Execution | 'interrupted'> {
  const startedAt = Date.now();
  const began = performance.now();
  const trace: TraceEvent[] = [];
  const emit: EmitTrace = (event) => {
    trace.push({ at: roundMs(performance.now() - began), seenBy: 'engine', ...event } as TraceEvent);
  };
  let workspace: EvaluatedWorkspace | undefined;
  const timeoutMs = targets.isAgentDriven(trial.scenario) ? undefined : trial.scenario.timeoutMs;
  const fault = await limits.within(timeoutMs, async (stop) => {
    // Not `using`: what it compiles to for Node 20 costs as much as the rest of this function.
    const lease = targets.leaseOpen(trial.scenario) ?? (await targets.lease(trial.scenario, stop));
    try {
      workspace = (await lease.target.attempt(trial, emit, stop))?.workspace;
    } finally {
      lease[Symbol.dispose]();
    }
  });
  if (fault === 'interrupted') return fault;
  return { trace, fault, startedAt, durationMs: roundMs(performance.now() - began), workspace };
}

function roundMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}
