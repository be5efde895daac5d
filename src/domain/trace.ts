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

/** All events of one type, in order. */
export function eventsOf<Type extends TraceEvent['type']>(trace: Trace, type: Type): TraceEventOf<Type>[] {
  return trace.filter((event): event is TraceEventOf<Type> => event.type === type);
}

/** The servers under test and those of an agent; a conversation may have others, whose tools it offers beside its own. */
export function recordedServers(trace: Trace): TraceEventOf<'mcp-server'>[] {
  return eventsOf(trace, 'mcp-server').filter(({ offeredTo }) => offeredTo === undefined);
}

/** How a tool that was called directly answered. */
export interface CallAnswer {
  readonly result: unknown;
  readonly error: ToolError | undefined;
  readonly durationMs: number | undefined;
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

/** The answer to the last tool call of the trace; undefined when no call was answered. */
export function lastAnswer(trace: Trace): CallAnswer | undefined {
  for (let index = trace.length - 1; index >= 0; index--) {
    const event = trace[index];
    if (event?.type === 'tool-result') {
      return { result: event.result, error: event.error, durationMs: event.durationMs };
    }
  }
  return undefined;
}
