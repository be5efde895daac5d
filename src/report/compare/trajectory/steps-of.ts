import type { Trace, TraceEvent, TraceEventOf } from '../../../domain/trace.ts';
import { normalisedLine } from '../../../score/interaction/command-line.ts';
import { findInvocations } from '../../../score/interaction/shell/shell-commands.ts';
import type { Step } from './step.ts';
import { stepOfEvent } from './step-of-event.ts';

/**
 * The steps of a trial in the order of its trace. A shell command that gave the tool under test a command which the
 * recorder saw as well is told once, by the recorder.
 */
export function stepsOf(trace: Trace): Step[] {
  const answers = new Map<string, TraceEventOf<'tool-result'>>();
  for (const event of trace) if (event.type === 'tool-result') answers.set(event.callId, event);
  const isToldByRecorder = recordedTwice(trace);
  return trace.flatMap((event, index) => {
    const step = isToldByRecorder(event) ? undefined : stepOfEvent(event, index, answers);
    return step ? [step] : [];
  });
}

function recordedTwice(trace: Trace): (event: TraceEvent) => boolean {
  const lines = new Set<string>();
  for (const event of trace) if (event.type === 'command' && !event.isNested) lines.add(normalisedLine(event.argv));
  const binary = trace.find((event) => event.type === 'workspace')?.tool?.binary;
  if (binary === undefined || lines.size === 0) return () => false;
  return (event) =>
    event.type === 'tool-call' &&
    event.shellCommand !== undefined &&
    findInvocations(event.shellCommand, binary, { exit: undefined, isCertain: false }).some(({ line }) =>
      lines.has(line),
    );
}
