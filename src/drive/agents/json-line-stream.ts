import type { Channel } from '../../domain/capability.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import { resemblesJson } from '../../shared/json.ts';
import { BoundedOutput } from '../../shared/processes/bounded-output.ts';
import { Repeats } from '../../shared/repeats.ts';
import type { AgentExit, AgentReport, AgentStream } from './agent.ts';
import { AgentTrace, ofAgents, ofWork } from './agent-trace.ts';
import { type JsonObject, parseJsonObject, textOf } from './json-shapes.ts';

const plainHeadBytes = 16_384;
const plainTailBytes = 16_384;
const stderrTailCharacters = 2_000;

/** A stream that counts the agent's requests to its model. */
export interface TurnCountingStream extends AgentStream {
  readonly turnsBegun: number;
}

/** How the lines of one kind of agent are read. */
export interface JsonLineReader {
  /** Name of the handler for a line; its `type` where this is not defined. */
  kindOf?(line: JsonObject): string | undefined;
  /** Identifies a line, for agents that number what they print: one that comes again is not read again. */
  idOf?(line: JsonObject): string | undefined;
  /** By kind. Must take any object without throwing. */
  readonly handlers: Readonly<Record<string, (line: JsonObject) => void>>;
  /** Channels that an unreadable line could have held; without the tokens where the agent sums them up at its end. */
  readonly lineChannels?: readonly Channel[];
  /** Whether lines of a kind are known to hold nothing of the agent's work; of any other kind without a handler, they may. */
  isBookkeeping?(kind: string): boolean;
  /** Called for each line on stderr, for agents that report failures of their provider only there. */
  errorLine?(text: string): void;
  /** Called once after the last line, to emit the last events and conclude how it ended. */
  conclude(exit: AgentExit, stderrTail: string): AgentReport;
  /** Whether the agent said that it ended, well or not; without that, the rest of its output may be missing. */
  readonly isClosed: boolean;
  /** Whether it said that nothing more comes: work after that contradicts it. */
  readonly isOver?: boolean;
}

/** A handler for lines that repeat what other lines hold. */
export function repeated(): void {}

/**
 * A stream of JSON lines. Lines that are not JSON objects are collected, within bounds, and emitted at the end as output;
 * so is everything on stderr.
 */
export function openJsonLines(
  to: EmitTrace | AgentTrace,
  openReader: (trace: AgentTrace) => JsonLineReader,
): TurnCountingStream {
  return new JsonLineStream(to instanceof AgentTrace ? to : new AgentTrace(to), openReader);
}

class JsonLineStream implements TurnCountingStream {
  readonly #trace: AgentTrace;
  readonly #reader: JsonLineReader;
  readonly #handlers: ReadonlyMap<string, (line: JsonObject) => void>;
  readonly #plain = {
    stdout: new BoundedOutput(plainHeadBytes, plainTailBytes),
    stderr: new BoundedOutput(plainHeadBytes, plainTailBytes),
  };
  readonly #repeats = new Repeats();
  #stderrTail = '';
  #lines = 0;

  constructor(trace: AgentTrace, openReader: (trace: AgentTrace) => JsonLineReader) {
    this.#trace = trace;
    this.#reader = openReader(trace);
    this.#handlers = new Map(Object.entries(this.#reader.handlers));
  }

  get turnsBegun(): number {
    return this.#trace.turnsBegun;
  }

  get #lineChannels(): readonly Channel[] {
    return this.#reader.lineChannels ?? ofAgents;
  }

  line(text: string): void {
    this.#trace.setPlace(`line ${++this.#lines}`);
    const event = parseJsonObject(text);
    if (event) this.#take(event, text);
    else {
      if (resemblesJson(text)) this.#trace.gap(this.#lineChannels, 'a line of the agent is not whole JSON');
      this.#keep('stdout', text);
    }
  }

  errorLine(text: string): void {
    this.#reader.errorLine?.(text);
    this.#stderrTail = `${this.#stderrTail}${text}\n`.slice(-stderrTailCharacters);
    this.#keep('stderr', text);
  }

  finish(exit: AgentExit, wasStopped = exit.timedOut): AgentReport {
    this.#trace.setPlace(undefined);
    const report = this.#reader.conclude(exit, this.#stderrTail.trim());
    // The rest is not expected from an agent that was ended by us.
    if (!wasStopped) this.#trace.endAnnouncements();
    if (!wasStopped && !this.#reader.isClosed) this.#trace.gap(ofAgents, 'the output of the agent has no end');
    for (const channel of ['stdout', 'stderr'] as const) {
      const { truncatedBytes } = this.#plain[channel];
      const text = this.#plain[channel].text();
      if (text.trim() !== '') this.#trace.output({ channel, text, truncatedBytes });
    }
    return report;
  }

  #take(event: JsonObject, text: string): void {
    if (this.#isKnown(event, text)) return;
    const kind = this.#reader.kindOf ? this.#reader.kindOf(event) : textOf(event.type);
    const handle = kind === undefined ? undefined : this.#handlers.get(kind);
    if (handle) this.#handle(handle, event);
    else if (kind !== undefined && this.#reader.isBookkeeping?.(kind)) this.#trace.other(kind, event);
    else this.#trace.unknown(kind ?? 'unknown', event, this.#lineChannels);
  }

  #handle(handle: (line: JsonObject) => void, event: JsonObject): void {
    const { isOver } = this.#reader;
    const { workCount } = this.#trace;
    handle(event);
    if (isOver && this.#trace.workCount > workCount) this.#trace.gap(ofWork, 'the agent went on after its end');
  }

  /** Whether the line was read before. */
  #isKnown(event: JsonObject, text: string): boolean {
    const id = this.#reader.idOf?.(event);
    if (id === undefined) return false;
    const standing = this.#repeats.standingOf(text, id);
    if (standing === 'contradicted') this.#trace.gap(this.#lineChannels, `two different lines have the id ${id}`);
    return standing === 'again';
  }

  #keep(channel: 'stdout' | 'stderr', text: string): void {
    this.#plain[channel].append(Buffer.from(`${text}\n`));
  }
}
