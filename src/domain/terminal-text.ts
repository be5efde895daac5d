import type { TraceEventOf } from './trace.ts';

/** How an agent was connected, as the end of a sentence; empty for pipes. */
export function describeTerminal(terminal: TraceEventOf<'agent-started'>['terminal']): string {
  if (terminal === undefined) return '';
  if (terminal === null) return ', with pipes instead of a terminal';
  return `, in a terminal of ${terminal.columns} x ${terminal.rows} (stdout and stderr are one stream)`;
}
