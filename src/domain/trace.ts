import type * as z from 'zod';
import type { ToolError } from './tool-error.ts';
import type { traceEventSchema } from './trace-schema.ts';

/** One thing that happened in a trial. */
export type TraceEvent = z.infer<typeof traceEventSchema>;

/** The events of one type. */
export type TraceEventOf<Type extends TraceEvent['type']> = Extract<TraceEvent, { type: Type }>;

/** The ordered events of a trial. */
export type Trace = readonly TraceEvent[];

/** An event without what the engine adds unless it is given: when it was seen, and by whom. */
type Unstamped<Event> = Event extends TraceEvent
  ? Omit<Event, 'at' | 'seenBy'> & { at?: number; seenBy?: Event['seenBy'] }
  : never;
export type UnstampedEvent = Unstamped<TraceEvent>;
export type EmitTrace = (event: UnstampedEvent) => void;

/**
 * Remembers what was found in a trace until the trace grows, or another is looked at: every evaluator and every channel
 * looks for the same, one after the other. More than the last would be a burden on memory for no use.
 */
export function rememberedPerTrace<Found>(find: (trace: Trace) => Found): (trace: Trace) => Found {
  let last: { readonly trace: Trace; readonly length: number; readonly found: Found } | undefined;
  return (trace) => {
    if (last?.trace !== trace || last.length !== trace.length)
      last = { trace, length: trace.length, found: find(trace) };
    return last.found;
  };
}

const eventsByType = rememberedPerTrace((trace) => {
  const byType = new Map<TraceEvent['type'], TraceEvent[]>();
  for (const event of trace) {
    const events = byType.get(event.type);
    if (events) events.push(event);
    else byType.set(event.type, [event]);
  }
  return byType;
});

/** All events of one type, in order. */
export function eventsOf<Type extends TraceEvent['type']>(trace: Trace, type: Type): readonly TraceEventOf<Type>[] {
  return (eventsByType(trace).get(type) as TraceEventOf<Type>[] | undefined) ?? [];
}

/** Whether a trace has an event of one type. */
export function hasEvent(trace: Trace, type: TraceEvent['type']): boolean {
  return eventsByType(trace).has(type);
}

/** The servers under test and those of an agent; a conversation may have others, whose tools it offers beside its own. */
export function recordedServers(trace: Trace): readonly TraceEventOf<'mcp-server'>[] {
  return eventsOf(trace, 'mcp-server').filter(({ offeredTo }) => offeredTo === undefined);
}

/** How a tool that was called directly answered. */
export interface CallAnswer {
  readonly result: unknown;
  readonly error: ToolError | undefined;
  readonly durationMs: number | undefined;
  /** Of HTTP; undefined where the answer has none. */
  readonly status: number | undefined;
}

/** Events that only trials with an agent, a conversation, a workflow or a test suite have. */
const indirectEvents: ReadonlySet<TraceEvent['type']> = new Set(['workspace', 'message', 'mcp-test']);

/** Whether a trial is one call of a tool, without an agent, a conversation or a suite. */
export function isDirectCall(trace: Trace): boolean {
  return !trace.some(({ type, seenBy }) => indirectEvents.has(type) || (type === 'tool-result' && seenBy !== 'engine'));
}

/** The error with which a tool that was called directly threw, exited or refused; undefined where it did not. */
export function directCallError(trace: Trace): ToolError | undefined {
  if (!isDirectCall(trace)) return undefined;
  const answer = trace.findLast((event) => event.type === 'tool-result');
  return answer?.seenBy === 'engine' ? answer.error : undefined;
}

function statusOf({ status }: ToolError): number | undefined {
  return typeof status === 'number' ? status : undefined;
}

/** The answer to the last tool call of the trace; undefined when no call was answered. */
export function lastAnswer(trace: Trace): CallAnswer | undefined {
  for (let index = trace.length - 1; index >= 0; index--) {
    const event = trace[index];
    if (event?.type === 'tool-result') {
      const { result, error, durationMs } = event;
      return { result, error, durationMs, status: error ? statusOf(error) : event.status };
    }
  }
  return undefined;
}
