import { describeEnd } from '../../../../../src/domain/process-end.ts';
import type { TraceEvent, TraceEventOf } from '../../../../../src/domain/trace.ts';
import { plainOutput } from '../../../../../src/report/presentation/plain-output.ts';
import { type EventBlock, shownEvent } from '../../../../../src/report/presentation/shown-event.ts';
import { printable } from '../../../../../src/shared/text.ts';

/** How an entry of the timeline looks. */
export type EntryLook = 'speech' | 'call' | 'command' | 'mark' | 'plain';

/** One row of the timeline: an event, or a call together with its result. */
export interface TimelineEntry {
  readonly look: EntryLook;
  readonly label: string;
  /** The program or tool, set apart from what it was given. */
  readonly name: string | undefined;
  readonly line: string;
  /** What came back, on one line. */
  readonly answer: string | undefined;
  /** How it ended: an exit code, a signal, a time-out. */
  readonly ending: string | undefined;
  readonly isProblem: boolean;
  readonly startMs: number;
  readonly durationMs: number | undefined;
  readonly blocks: readonly EventBlock[];
  readonly seenBy: TraceEvent['seenBy'];
}

const longestLine = 300;

const looks: Readonly<Partial<Record<TraceEvent['type'], EntryLook>>> = {
  message: 'speech',
  'tool-call': 'call',
  command: 'command',
  script: 'command',
  turn: 'mark',
  usage: 'mark',
  'agent-started': 'mark',
  'agent-ended': 'mark',
  workspace: 'mark',
};

/** How an event looks. */
export function lookOf({ type }: TraceEvent): EntryLook {
  return looks[type] ?? 'plain';
}

/** What the timeline shows of an event; `result` is the answer to a tool call, where it is known. */
export function timelineEntry(event: TraceEvent, result?: TraceEventOf<'tool-result'>): TimelineEntry {
  switch (event.type) {
    case 'tool-call':
      return callEntry(event, result);
    case 'command':
      return { ...eventEntry(event), line: oneLine(event.argv.join(' ')), ending: describeEnd(event) };
    case 'script':
      return {
        ...eventEntry(event),
        line: oneLine(event.command),
        ending: event.timedOut ? 'timed out' : describeEnd(event),
      };
    default:
      return eventEntry(event);
  }
}

function eventEntry<Type extends TraceEvent['type']>(event: TraceEventOf<Type>): TimelineEntry {
  const { label, line, isProblem, durationMs, blocks } = shownEvent(event);
  return {
    look: lookOf(event),
    label,
    name: undefined,
    line,
    answer: undefined,
    ending: undefined,
    isProblem,
    startMs: Math.max(0, event.at - (durationMs ?? 0)),
    durationMs,
    blocks,
    seenBy: event.seenBy,
  };
}

function callEntry(call: TraceEventOf<'tool-call'>, result: TraceEventOf<'tool-result'> | undefined): TimelineEntry {
  const { tool, server, shellCommand, input } = call;
  const shown = eventEntry(call);
  const answered = result && shownEvent(result);
  const exitCode = result?.exitCode ?? undefined;
  return {
    ...shown,
    name: oneLine(server === undefined ? tool : `${server} › ${tool}`),
    line: oneLine(shellCommand ?? (typeof input === 'string' ? input : (JSON.stringify(input) ?? ''))),
    answer: answered ? answered.line.replace(/^exit -?\d+ ?/, '') : undefined,
    ending: exitCode === undefined ? undefined : `exit ${exitCode}`,
    isProblem: answered?.isProblem ?? false,
    startMs: call.at,
    durationMs: result?.durationMs,
    blocks: [...shown.blocks, ...(answered?.blocks ?? [])],
  };
}

function oneLine(text: string): string {
  const line = printable(plainOutput(text.slice(0, 4 * longestLine))).trim();
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}
