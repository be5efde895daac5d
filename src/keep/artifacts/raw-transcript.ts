import { resultText } from '../../domain/events-jsonl/result-text.ts';
import { eventsOf, type Trace, type TraceEvent, type TraceEventOf } from '../../domain/trace.ts';

/** What the trace knows of what was said and printed, for an agent whose own output was not kept. */
export function rawTranscript(trace: Trace): string {
  const shellCalls = new Set(eventsOf(trace, 'tool-call').flatMap((event) => (isShell(event) ? [event.callId] : [])));
  return trace.map((event) => textOf(event, shellCalls)).join('');
}

function textOf(event: TraceEvent, shellCalls: ReadonlySet<string>): string {
  if (event.type === 'message') return withLineEnd(event.text);
  if (event.type === 'output') return withLineEnd(event.text);
  if (event.type === 'tool-call') return isShell(event) ? withLineEnd(event.shellCommand) : '';
  if (event.type !== 'tool-result') return '';
  const isOfShell = shellCalls.has(event.callId) && typeof event.exitCode === 'number';
  return withLineEnd(resultText(event)) + (isOfShell ? `Exit code: ${event.exitCode}\n` : '');
}

function isShell(event: TraceEventOf<'tool-call'>): event is TraceEventOf<'tool-call'> & { shellCommand: string } {
  return event.shellCommand !== undefined;
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
