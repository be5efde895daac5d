import type { Trace, TraceEvent, UnstampedEvent } from '../../../domain/trace.ts';

/** Test support: events as the engine would have stamped them. */
export function traceOf(...events: readonly UnstampedEvent[]): Trace {
  return events.map((event, at) => ({ at, seenBy: 'agent', ...event }) as TraceEvent);
}

/** Test support: what the recorder saw of one invocation. */
export function recorded(argv: readonly string[], exitCode: number | null, isNested = false): UnstampedEvent {
  const signal = exitCode === null ? 'SIGKILL' : null;
  const streams = { stdout: null, stderr: null };
  return {
    type: 'command',
    seenBy: 'recorder',
    argv: [...argv],
    cwd: '.',
    durationMs: 1,
    exitCode,
    signal,
    ...streams,
    isNested,
  };
}

/** Test support: a shell command as an agent reports it, and its result. */
export function shell(callId: string, shellCommand: string, exitCode: number | null): UnstampedEvent[] {
  return [
    { type: 'tool-call', callId, tool: 'bash', input: { command: shellCommand }, shellCommand },
    { type: 'tool-result', callId, durationMs: 1, result: '', exitCode },
  ];
}

/** Test support: how the agent ended. */
export function ended(completed: boolean): UnstampedEvent {
  const exit = { exitCode: completed ? 0 : 1, signal: null, timedOut: false };
  return { type: 'agent-ended', ...exit, completed, reason: completed ? null : 'gave up' };
}

/** Test support: text that the agent printed. */
export function printed(text: string): UnstampedEvent {
  return { type: 'output', channel: 'stdout', text, truncatedBytes: 0 };
}
