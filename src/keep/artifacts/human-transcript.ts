import { eventsOf, type Trace, type TraceEvent } from '../../domain/trace.ts';
import { transcriptLines } from './transcript-lines.ts';

/** What a person reads to see what happened, a line at a time: turns, commands with exit codes, shortened results. */
export function* humanTranscript(trace: Trace): Generator<string, void> {
  const results = new Map(eventsOf(trace, 'tool-result').map((event) => [event.callId, event]));
  const calls = new Set(eventsOf(trace, 'tool-call').map((event) => event.callId));
  let turn = 0;
  let isBetweenTurns = true;
  for (const event of trace) {
    if (event.type === 'tool-result' && calls.has(event.callId)) {
      isBetweenTurns = true;
      continue;
    }
    if (isBetweenTurns && isOfTurn(event)) yield `\n── turn ${++turn} ──`;
    if (isOfTurn(event)) isBetweenTurns = false;
    const [first, ...rest] = transcriptLines(event, results);
    if (first === undefined) continue;
    yield `[${clock(event.at)}] ${first}`;
    for (const line of rest) yield `    ${line}`;
  }
}

function isOfTurn(event: TraceEvent): boolean {
  if (event.type === 'message') return event.role === 'assistant';
  return event.type === 'reasoning' || event.type === 'tool-call';
}

/** `01:02.3`: minutes, seconds and tenths since the trial began. */
function clock(atMs: number): string {
  const tenths = Math.max(0, Math.floor(atMs / 100));
  const minutes = String(Math.floor(tenths / 600)).padStart(2, '0');
  return `${minutes}:${String(Math.floor((tenths % 600) / 10)).padStart(2, '0')}.${tenths % 10}`;
}
