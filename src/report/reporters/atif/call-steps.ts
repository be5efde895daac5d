import type { ObservedCall } from '../../../domain/tools/tool-calls.ts';
import type { TraceEventOf } from '../../../domain/trace.ts';
import { isRecord } from '../../../shared/json.ts';
import { extraOf, type ObservationResult, type ToolCall } from './trajectory.ts';

/** A call of a step, and the trajectories of the sub-agents that it started. */
export interface StepCall {
  readonly id: string;
  readonly event: TraceEventOf<'tool-call'> | undefined;
  readonly observed: ObservedCall;
  readonly subagents: string[];
}

/** A call as a member of `tool_calls`; an input that is not an object is wrapped into one. */
export function toolCallOf({ id, event, observed }: StepCall): ToolCall {
  const { input } = observed;
  const extra = extraOf({
    kind: event?.kind ?? observed.kind,
    server: observed.server,
    shellCommand: observed.shellCommand,
    isUnlistedTool: event?.isUnlistedTool,
    isRefused: event?.isRefused,
    isWrapped: isRecord(input) ? undefined : true,
    seenBy: observed.seenBy === 'agent' ? undefined : observed.seenBy,
  });
  return {
    tool_call_id: id,
    function_name: event?.tool ?? observed.tool,
    arguments: isRecord(input) ? input : input === undefined ? {} : { value: input },
    ...(extra && { extra }),
  };
}

/** The observation of a call; undefined where it was not answered and started no sub-agent. */
export function observationOf({ id, observed, subagents }: StepCall): ObservationResult | undefined {
  const { isAnswered, result, error, exitCode, durationMs } = observed;
  if (!isAnswered && subagents.length === 0) return undefined;
  const failure = result === undefined ? error : undefined;
  const content = failure?.message ?? textOf(result);
  const extra = extraOf({
    error: failure,
    isJson: failure === undefined && result !== undefined && typeof result !== 'string' ? true : undefined,
    exitCode,
    durationMs,
    isAnswered: subagents.length > 0 ? isAnswered : undefined,
  });
  return {
    source_call_id: id,
    ...(content !== undefined && { content }),
    ...(subagents.length > 0 && { subagent_trajectory_ref: subagents.map((trajectory_id) => ({ trajectory_id })) }),
    ...(extra && { extra }),
  };
}

function textOf(result: unknown): string | undefined {
  return typeof result === 'string' ? result : JSON.stringify(result);
}
