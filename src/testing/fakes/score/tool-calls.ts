import type { TraceEvent } from '../../../domain/trace.ts';

/** A call of a tool and how it ended; without `result` and `error` it was never answered. */
export interface FakeCall {
  readonly tool: string;
  readonly input?: unknown;
  readonly server?: string;
  readonly result?: unknown;
  readonly error?: string;
  readonly exitCode?: number;
  readonly seenBy?: TraceEvent['seenBy'];
  readonly isRefused?: true;
}

/** The trace of a task in which tools were called one after the other. */
export function traceOfCalls(...calls: readonly FakeCall[]): TraceEvent[] {
  const events = calls.flatMap(
    ({ tool, input = {}, server, seenBy = 'agent', isRefused, ...answer }, index): TraceEvent[] => {
      const stamp = { at: index, seenBy, callId: `call-${index}` };
      const { result, error, exitCode } = answer;
      const facts = { ...(server !== undefined && { server }), ...(isRefused && { isRefused }) };
      const call: TraceEvent = { type: 'tool-call', ...stamp, tool, input, ...facts };
      if (result === undefined && error === undefined) return [call];
      return [
        call,
        {
          type: 'tool-result',
          ...stamp,
          durationMs: 1,
          ...(error === undefined ? { result } : { error: { message: error } }),
          ...(exitCode === undefined ? {} : { exitCode }),
        },
      ];
    },
  );
  return [{ type: 'reports', at: 0, seenBy: 'engine', what: ['tool-calls'] }, ...events];
}
