import * as z from 'zod';

/** Who saw an event happen: the agent reported it, the recorder at the target saw it, or the engine did it itself. */
const seenBySchema = z.enum(['agent', 'recorder', 'engine']);

/** What a tool said when it refused or failed: always a message, and whatever else its kind of target knows. */
export const toolErrorSchema = z.looseObject({ message: z.string() });
export type ToolError = z.infer<typeof toolErrorSchema>;

const seen = { at: z.number().describe('milliseconds since the trial began'), seenBy: seenBySchema };

/** One thing that happened in a trial. */
export const traceEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    ...seen,
    role: z.enum(['user', 'assistant', 'system']),
    text: z.string(),
  }),
  z.object({ type: z.literal('tool-call'), ...seen, callId: z.string(), tool: z.string(), input: z.unknown() }),
  z.object({
    type: z.literal('tool-result'),
    ...seen,
    callId: z.string(),
    durationMs: z.number(),
    result: z.unknown().optional(),
    error: toolErrorSchema.optional(),
  }),
  z.object({
    type: z.literal('output'),
    ...seen,
    channel: z.enum(['stdout', 'stderr']),
    text: z.string(),
    truncatedBytes: z.number(),
  }),
]);
export type TraceEvent = z.infer<typeof traceEventSchema>;

/** The ordered events of a trial. */
export type Trace = readonly TraceEvent[];

/** How a tool that was called directly answered. */
export interface CallAnswer {
  readonly result: unknown;
  readonly error: ToolError | undefined;
  readonly durationMs: number;
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
