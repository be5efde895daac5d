import { setTimeout as pause } from 'node:timers/promises';
import { controlOfTrial, controlSeed } from '../../../domain/control-of-trial.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { Fault } from '../../../domain/tool-control/faults.ts';
import type { ToolError } from '../../../domain/tool-error.ts';
import { differenceOfValues } from '../../../domain/tools/tool-meaning.ts';
import type { TraceEventOf } from '../../../domain/trace.ts';
import type { Trial } from '../../../domain/trial.ts';
import { mapTexts } from '../../../shared/json.ts';
import { Control, type Decision } from '../../tool-control/control.ts';
import { type FaultyBorder, faultRules } from '../../tool-control/faults/fault-rule.ts';
import { otherTypes } from '../../tool-control/faults/text-faults.ts';
import { StampedTrace } from '../stamped-trace.ts';
import type { StopRequest, Target, TurnControl } from '../target.ts';

/** How a tool that is called directly answers. */
interface CallReply {
  readonly result?: unknown;
  readonly error?: ToolError | undefined;
}

/** A tool that is called directly, and how it reports that it failed. */
export interface CalledTool {
  readonly name: string;
  failure(fault: Fault): ToolError;
}

/** Calls the tool of a trial whose scenario breaks its answers on purpose. */
export async function attemptBroken(
  tool: CalledTool,
  target: Target,
  trial: Trial,
  trace: StampedTrace,
  stop: StopRequest,
  turns: TurnControl,
): Promise<undefined> {
  const { trialId: callId, case: tried } = trial;
  const { input } = tried;
  const decision = decisionFor(tool, trial, trace);
  const began = performance.now();
  const { delayMs } = decision;
  if (delayMs > 0) await pause(delayMs, undefined, { signal: stop.signal }).catch(() => undefined);
  if (decision.reply && !stop.isStopped) {
    const { reply, answeredBy } = decision.alter(decision.reply);
    trace.emit({ type: 'tool-call', callId, tool: tool.name, input });
    trace.emit({ type: 'tool-result', callId, durationMs: performance.now() - began, ...reply, answeredBy });
  } else if (!stop.isStopped) await attemptReal(decision, began, target, trial, trace, stop, turns);
  if (!stop.isStopped || delayMs === 0) return;
  const message = `The call of "${tool.name}" was delayed on purpose by ${delayMs} ms and did not end within the time limit of the trial.`;
  throw new AssayError('FAULT_ENDED_TRIAL', message);
}

/** A recording sees the answer of the real tool, and not the broken one: the tool has its own trace. */
async function attemptReal(
  decision: Decision<CallReply>,
  began: number,
  target: Target,
  trial: Trial,
  trace: StampedTrace,
  stop: StopRequest,
  turns: TurnControl,
): Promise<void> {
  const own = new StampedTrace();
  const offsetMs = trace.elapsedMs;
  try {
    await target.attempt(trial, own, stop, turns);
  } finally {
    trace.leaveOut(trace.elapsedMs - offsetMs - own.elapsedMs);
    for (const event of own.events) {
      const at = offsetMs + event.at;
      trace.emit(event.type === 'tool-result' ? { ...broken(event, decision, began), at } : { ...event, at });
    }
  }
}

/** An answer as the caller gets it: with the time that it waited in all. */
function broken(event: TraceEventOf<'tool-result'>, decision: Decision<CallReply>, began: number) {
  const { result, error, answeredBy: real, durationMs: realMs, ...others } = event;
  const given: CallReply = error ? { error } : { result };
  const { reply, answeredBy } = decision.alter(given);
  const durationMs = decision.delayMs > 0 ? performance.now() - began : realMs;
  const by = answeredBy ?? real;
  return { ...others, durationMs, ...reply, ...(by && { answeredBy: by }) };
}

function decisionFor(tool: CalledTool, trial: Trial, { emit }: StampedTrace): Decision<CallReply> {
  const faults = (controlOfTrial(trial)?.faults ?? []).filter(({ border }) => border === 'call');
  const rules = faultRules(faults, controlSeed(trial), callFaults(tool));
  const control = new Control<CallReply>('call', rules, (action) => emit({ type: 'tool-control', ...action }));
  return control.decide({ tool: tool.name, args: { input: trial.case.input } });
}

/** How calls of a tool fail that Assay calls itself; ways that leave nothing to judge are refused in its file. */
function callFaults({ failure }: CalledTool): FaultyBorder<CallReply> {
  const unanswered = { error: { message: 'No answer' } };
  return {
    hasArguments: ({ args: { input } }, wanted) => differenceOfValues(wanted, input, 'subset') === undefined,
    failure: (fault) => ({ error: failure(fault) }),
    unanswered,
    dropped: unanswered,
    emptied: (reply) => (reply.error || reply.result === undefined ? reply : {}),
    withTexts(reply, change, kind) {
      if (reply.error || reply.result === undefined) return reply;
      if (kind === 'schema-breaking') return { result: otherTypes(reply.result) };
      const result = withChangedTexts(reply.result, change, kind === 'huge' ? 1 : Number.POSITIVE_INFINITY);
      return result === reply.result ? reply : { result };
    },
  };
}

/** The same data with other texts, at most so many; the same object where none changed. */
function withChangedTexts(data: unknown, change: (text: string) => string, most: number): unknown {
  let changed = 0;
  const copied = mapTexts(data, (text) => {
    const changedText = changed < most ? change(text) : text;
    if (changedText !== text) changed++;
    return changedText;
  });
  return changed === 0 ? data : copied;
}
