import type { EmitTrace } from '../../domain/trace.ts';
import { counted } from '../../shared/format.ts';
import { BoundedOutput } from '../../shared/processes/bounded-output.ts';
import type { AgentExit, AgentReport, AgentStream } from './agent.ts';
import { AgentTrace } from './agent-trace.ts';
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
  /** By kind; a line of any other kind is emitted as `other`. Must take any object without throwing. */
  readonly handlers: Readonly<Record<string, (line: JsonObject) => void>>;
  /** Called for each line on stderr, for agents that report failures of their provider only there. */
  errorLine?(text: string): void;
  /** Called once after the last line, to emit the last events and conclude how it ended. */
  conclude(exit: AgentExit, stderrTail: string): AgentReport;
}

/**
 * A stream of JSON lines. Lines that are not JSON objects are collected, within bounds, and emitted at the end as output;
 * so is everything on stderr.
 */
export function openJsonLines(emit: EmitTrace, openReader: (trace: AgentTrace) => JsonLineReader): TurnCountingStream {
  return new JsonLineStream(new AgentTrace(emit), openReader);
}

class JsonLineStream implements TurnCountingStream {
  readonly #trace: AgentTrace;
  readonly #reader: JsonLineReader;
  readonly #handlers: ReadonlyMap<string, (line: JsonObject) => void>;
  readonly #plain = {
    stdout: new BoundedOutput(plainHeadBytes, plainTailBytes),
    stderr: new BoundedOutput(plainHeadBytes, plainTailBytes),
  };
  #stderrTail = '';
  #brokenLines = 0;

  constructor(trace: AgentTrace, openReader: (trace: AgentTrace) => JsonLineReader) {
    this.#trace = trace;
    this.#reader = openReader(trace);
    this.#handlers = new Map(Object.entries(this.#reader.handlers));
  }

  get turnsBegun(): number {
    return this.#trace.turnsBegun;
  }

  line(text: string): void {
    const event = parseJsonObject(text);
    if (!event) {
      if (text.trimStart().startsWith('{')) this.#brokenLines++;
      this.#keep('stdout', text);
      return;
    }
    const kind = this.#reader.kindOf ? this.#reader.kindOf(event) : textOf(event.type);
    const handle = kind === undefined ? undefined : this.#handlers.get(kind);
    if (handle) handle(event);
    else this.#trace.other(kind ?? 'unknown', event);
  }

  errorLine(text: string): void {
    this.#reader.errorLine?.(text);
    this.#stderrTail = `${this.#stderrTail}${text}\n`.slice(-stderrTailCharacters);
    this.#keep('stderr', text);
  }

  finish(exit: AgentExit): AgentReport {
    const report = this.#reader.conclude(exit, this.#stderrTail.trim());
    for (const channel of ['stdout', 'stderr'] as const) {
      const { truncatedBytes } = this.#plain[channel];
      const text = this.#plain[channel].text();
      if (text.trim() !== '') this.#trace.output({ channel, text, truncatedBytes });
    }
    if (this.#brokenLines > 0) {
      this.#trace.notice(`${counted(this.#brokenLines, 'line')} of the agent could not be read as JSON`);
    }
    return report;
  }

  #keep(channel: 'stdout' | 'stderr', text: string): void {
    this.#plain[channel].append(Buffer.from(`${text}\n`));
  }
}
