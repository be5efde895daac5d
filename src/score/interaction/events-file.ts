import type { Channel } from '../../domain/capability.ts';
import type { Trace, TraceEvent, UnstampedEvent } from '../../domain/trace.ts';
import { traceEventSchema } from '../../domain/trace-schema.ts';
import { isRecord } from '../../shared/json.ts';

/** Kind of the event that marks a trace as read from an events file. */
const eventsFileKind = 'events-file';

type Entry = Readonly<Record<string, unknown>>;

/** Whether the agent's events of a trace were read from an events file. */
export function isFromEventsFile(trace: Trace): boolean {
  return trace.some((event) => event.type === 'other' && event.kind === eventsFileKind);
}

/**
 * The trace of an `events.jsonl`, in either of its vocabularies or in that of our own trace. Calls and results have no
 * ids there and are paired in their order. Lines that cannot be read or placed are gaps.
 */
export function readEventsFile(text: string): Trace {
  const events: TraceEvent[] = [];
  const reader = new EventsFileReader((event) => events.push(event));
  for (const line of text.split('\n')) if (line.trim() !== '') reader.add(line);
  return events;
}

/** Reads the lines of an events file as they come. */
export class EventsFileReader {
  readonly #onEvent: (event: TraceEvent) => void;
  readonly #openCalls: string[] = [];
  #callCount = 0;
  #lines = 0;
  #lastLine = '';
  #firstSeconds: number | undefined;
  #isUntimed = false;
  #hasLostTimes = false;
  #at = 0;

  constructor(onEvent: (event: TraceEvent) => void) {
    this.#onEvent = onEvent;
    this.#emit({ type: 'other', kind: eventsFileKind, data: null, seenBy: 'engine' });
  }

  add(line: string): void {
    this.#lines += 1;
    const isAgain = line === this.#lastLine && /"(?:ts|at)"\s*:/.test(line);
    this.#lastLine = line;
    if (isAgain) {
      this.#lose('the same line stands twice in a row and counts once');
      return;
    }
    const entry = parseEntry(line);
    if (!entry) {
      this.#lose('a line is not a JSON object');
      return;
    }
    this.#keepTime(entry);
    const own = traceEventSchema.safeParse(entry);
    if (own.success) this.#onEvent(own.data);
    else this.#addForeign(entry);
  }

  #lose(reason: string): void {
    this.#loseFrom(['answers', 'tool-calls', 'commands', 'tool-results', 'usage', 'cost', 'times'], reason);
  }

  #loseFrom(channels: Channel[], reason: string): void {
    this.#emit({ type: 'gap', seenBy: 'engine', channels, reason, place: `line ${this.#lines}` });
  }

  #keepTime({ ts, at }: Entry): void {
    const isTimed = typeof ts === 'number' && Number.isFinite(ts);
    // Events of our own trace have the time since the trial began.
    this.#isUntimed ||= !isTimed && typeof at !== 'number';
    this.#firstSeconds ??= isTimed ? ts : undefined;
    if (this.#firstSeconds === undefined) return;
    const isEarlier = isTimed && ts < this.#firstSeconds;
    if (this.#isUntimed || isEarlier) this.#loseTimes();
    if (!isTimed) return;
    this.#at = Math.max(this.#at, Math.round((ts - this.#firstSeconds) * 1_000));
  }

  /** Some events of the file have a time and others have none, or they are not in order. */
  #loseTimes(): void {
    if (!this.#hasLostTimes) this.#loseFrom(['times'], 'the times of the events are not complete');
    this.#hasLostTimes = true;
  }

  #addForeign(entry: Entry): void {
    const kind = entry.event ?? entry.type;
    if (kind === 'tool_call') this.#addCall(entry);
    else if (kind === 'tool_result') this.#addResult(entry);
    else if (kind === 'output') this.#addOutput(entry.text);
    else if (kind === 'complete') this.#addEnd(entry);
    else if (kind === 'setup_command') this.#addScript(entry, 'setup');
    else if (kind === 'post_script') this.#addScript(entry, 'post');
    else if (kind === 'execution') this.#addExecution(entry);
    else {
      if (kind !== 'spawn') this.#lose(`an event of the unknown kind ${JSON.stringify(kind ?? null)}`);
      this.#emit({ type: 'other', kind: textOf(kind), data: entry });
    }
  }

  #addExecution(entry: Entry): void {
    this.#addOutput(entry.output);
    this.#addEnd(entry);
  }

  #addCall({ tool, command }: Entry): void {
    if (typeof tool !== 'string') this.#lose('a tool call has no name');
    this.#callCount += 1;
    const callId = `call-${this.#callCount}`;
    this.#openCalls.push(callId);
    const call = { type: 'tool-call', callId, tool: textOf(tool), input: { command } } as const;
    this.#emit(typeof command === 'string' ? { ...call, shellCommand: command } : call);
  }

  #addResult({ output, exit_code }: Entry): void {
    const callId = this.#openCalls.shift();
    if (callId === undefined) this.#lose('a tool result has no call');
    else this.#emit({ type: 'tool-result', callId, result: output, exitCode: codeOf(exit_code) });
  }

  #addOutput(text: unknown): void {
    if (typeof text === 'string') this.#emit({ type: 'output', channel: 'stdout', text, truncatedBytes: 0 });
  }

  #addEnd({ exit_code }: Entry): void {
    const exitCode = codeOf(exit_code);
    const reason = exitCode === 0 ? null : exitCode === null ? 'It did not exit' : `It exited with code ${exitCode}`;
    this.#emit({ type: 'agent-ended', exitCode, signal: null, timedOut: false, completed: exitCode === 0, reason });
  }

  #addScript({ command, exit_code, timed_out, output, stdout, stderr }: Entry, phase: 'setup' | 'post'): void {
    const captured = (text: unknown) => ({ text: textOf(text), truncatedBytes: 0 });
    const exit = { exitCode: codeOf(exit_code), signal: null, timedOut: timed_out === true };
    const streams = { stdout: captured(stdout ?? output), stderr: captured(stderr) };
    this.#emit({ type: 'script', phase, command: textOf(command), ...exit, ...streams });
  }

  #emit(event: UnstampedEvent): void {
    this.#onEvent({ at: this.#at, seenBy: 'agent', ...event } as TraceEvent);
  }
}

function parseEntry(line: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function codeOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
