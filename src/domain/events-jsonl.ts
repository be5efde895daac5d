import { isRecord } from '../shared/json.ts';
import { shellWord } from '../shared/shell-words.ts';
import { eventsOf, type Trace, type TraceEvent, type TraceEventOf } from './trace.ts';

/** Arguments as one line that a person can paste into a shell. */
export function commandLine(argv: readonly string[]): string {
  return argv.map(shellWord).join(' ');
}

type Call = TraceEventOf<'tool-call'>;

type Item =
  | { readonly isUnanswered: false; readonly event: TraceEvent }
  | { readonly isUnanswered: true; readonly call: Call };

/**
 * The trace with the results of calls moved back, where need be, until those of all earlier calls are out; a call that
 * was never answered has its place in that order too. All other events stay where they are.
 */
function* inCallOrder(trace: Trace): Generator<Item, void> {
  const answered = new Set(eventsOf(trace, 'tool-result').map((event) => event.callId));
  const open: Call[] = [];
  const waiting = new Map<string, TraceEventOf<'tool-result'>>();
  for (const event of trace) {
    if (event.type === 'tool-result' && open.some(({ callId }) => callId === event.callId)) {
      waiting.set(event.callId, event);
      yield* release(open, waiting, answered);
    } else {
      if (event.type === 'tool-call') open.push(event);
      yield { isUnanswered: false, event };
    }
  }
  for (const call of open) yield* resultItem(call, waiting);
}

/** Takes calls off the front of the queue as long as their results are known, or are known never to come. */
function* release(
  open: Call[],
  waiting: Map<string, TraceEventOf<'tool-result'>>,
  answered: ReadonlySet<string>,
): Generator<Item, void> {
  for (let call = open[0]; call && (waiting.has(call.callId) || !answered.has(call.callId)); call = open[0]) {
    open.shift();
    yield* resultItem(call, waiting);
  }
}

function* resultItem(call: Call, waiting: Map<string, TraceEventOf<'tool-result'>>): Generator<Item, void> {
  const event = waiting.get(call.callId);
  waiting.delete(call.callId);
  yield event ? { isUnanswered: false, event } : { isUnanswered: true, call };
}

/** Answer of a tool as text: its message, its text, or the value as JSON. */
export function resultText(event: Pick<TraceEventOf<'tool-result'>, 'result' | 'error'>): string {
  if (event.error) return event.error.message;
  return textOf(event.result);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  const parts = Array.isArray(value) ? value.map(textPart) : [];
  if (parts.length > 0 && parts.every((part) => part !== undefined)) return parts.join('\n');
  return JSON.stringify(value);
}

/** The text of one part of a message; undefined for parts that are something else. */
function textPart(part: unknown): string | undefined {
  return isRecord(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : undefined;
}

/** One line of the file. */
type EventLine = Readonly<Record<string, unknown>> & { readonly ts: number; readonly event: string };

/**
 * The events of a trial for programs, one JSON object per line, in two vocabularies at once.
 *
 * `event` and `ts` (seconds since 1970) with `spawn {command, args}`, `output {text}`, `tool_call {tool, command}`,
 * `tool_result {output, exit_code}`, `complete {exit_code, duration_secs}`, `setup_command`, `post_script` and
 * `health_check {command, exit_code, output, success}`; a reader skips what it does not know. Results come in the order
 * of their calls and can be paired by order; a call that was never answered has a result without `type`
 * whose exit code is null; `call_id` pairs them as well.
 *
 * `type` and the fields beside it are the events of the trace, unchanged.
 */
export function* eventLines(trace: Trace, startedAt: number): Generator<EventLine, void> {
  const spawnedAt = eventsOf(trace, 'agent-started')[0]?.at ?? 0;
  for (const item of inCallOrder(trace)) {
    if (item.isUnanswered) yield unansweredLine(item.call, startedAt);
    else yield { ts: secondsAt(startedAt, item.event.at), ...wordsFor(item.event, spawnedAt), ...item.event };
  }
}

function secondsAt(startedAt: number, atMs: number): number {
  return Number(((startedAt + atMs) / 1_000).toFixed(4));
}

function unansweredLine(call: TraceEventOf<'tool-call'>, startedAt: number): EventLine {
  const ts = secondsAt(startedAt, call.at);
  return { ts, event: 'tool_result', call_id: call.callId, output: '', exit_code: null, unanswered: true };
}

/** Name and fields of an event in the other vocabulary. */
function wordsFor(event: TraceEvent, spawnedAt: number): { readonly event: string } & Record<string, unknown> {
  switch (event.type) {
    case 'agent-started':
      return { event: 'spawn', command: event.agent, args: [] };
    case 'message':
      return { event: event.role === 'assistant' ? 'output' : 'message' };
    case 'tool-call':
      return { event: 'tool_call', call_id: event.callId, command: event.shellCommand ?? event.tool };
    case 'tool-result':
      return {
        event: 'tool_result',
        call_id: event.callId,
        output: resultText(event),
        exit_code: event.exitCode ?? null,
      };
    case 'agent-ended':
      return { event: 'complete', exit_code: event.exitCode, duration_secs: (event.at - spawnedAt) / 1_000 };
    case 'command':
      return { event: 'command', command: commandLine(event.argv), exit_code: event.exitCode };
    case 'script':
      return { event: scriptEvents[event.phase], exit_code: event.exitCode, ...scriptWords(event) };
    default:
      return { event: event.type.replaceAll('-', '_') };
  }
}

const scriptEvents = { 'health-check': 'health_check', setup: 'setup_command', post: 'post_script' } as const;

function scriptWords({ exitCode, timedOut, stdout, stderr }: TraceEventOf<'script'>): Record<string, unknown> {
  const output = `${stdout?.text ?? ''}${stderr?.text ?? ''}`;
  return { output, success: exitCode === 0, timed_out: timedOut };
}
