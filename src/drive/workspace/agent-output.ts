import type { Readable } from 'node:stream';
import { counted } from '../../shared/format.ts';
import { isWholeText } from '../../shared/utf8.ts';
import type { AgentLaunch } from '../agents/agent.ts';
import type { AgentTerminal } from './agent-terminal.ts';
import { TerminalText } from './terminal-text.ts';
import type { Transcript, TranscriptChannel } from './transcript.ts';

const newline = 0x0a;
const carriageReturn = 0x0d;

/** How much of one line is kept. */
export const lineLimitBytes = 1_048_576;
/** How much of the output of one process is passed on. */
const outputLimitBytes = 64 * 1_048_576;

/** The limit on the output that the channels of one process pass on together, and the count of dropped lines. */
export class OutputBudget {
  readonly #limitBytes: number;
  #usedBytes = 0;
  #droppedLines = 0;

  constructor(limitBytes: number = outputLimitBytes) {
    this.#limitBytes = limitBytes;
  }

  /** Whether there was room for a line; once there was not, there is none for shorter ones either. */
  take(bytes: number): boolean {
    if (this.#droppedLines === 0 && this.#usedBytes + bytes <= this.#limitBytes) {
      this.#usedBytes += bytes;
      return true;
    }
    this.#droppedLines++;
    return false;
  }

  get droppedLines(): number {
    return this.#droppedLines;
  }
}

/** Cuts a byte stream of any length into lines, in bounded memory; long lines are cut and marked. */
export class OutputLines {
  readonly #budget: OutputBudget;
  readonly #onLine: (line: string) => void;
  /** How many lines are not in UTF-8: marks stand for what cannot be read of them. */
  unreadableLines = 0;
  #parts: Buffer[] = [];
  #keptBytes = 0;
  #lineBytes = 0;

  constructor(budget: OutputBudget, onLine: (line: string) => void) {
    this.#budget = budget;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#append(chunk, start, end);
      this.#finishLine();
      start = end + 1;
    }
    if (start < chunk.length) this.#append(chunk, start, chunk.length);
  }

  /** A last line may have no end. */
  end(): void {
    if (this.#lineBytes > 0) this.#finishLine();
  }

  #append(chunk: Buffer, start: number, end: number): void {
    this.#lineBytes += end - start;
    const room = lineLimitBytes - this.#keptBytes;
    // Once lines are dropped their text is not needed, and cutting it out costs most of the time.
    if (room <= 0 || end === start || this.#budget.droppedLines > 0) return;
    const part = chunk.subarray(start, Math.min(end, start + room));
    this.#parts.push(part);
    this.#keptBytes += part.length;
  }

  #finishLine(): void {
    const parts = this.#parts;
    const cutBytes = this.#lineBytes - this.#keptBytes;
    const isHandedOn = this.#budget.take(this.#keptBytes);
    this.#parts = [];
    this.#keptBytes = 0;
    this.#lineBytes = 0;
    if (!isHandedOn) return;
    const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    const text = textOf(bytes, cutBytes);
    // A cut may go through a character.
    if (cutBytes === 0 && !isWholeText(text, bytes)) this.unreadableLines++;
    this.#onLine(text);
  }
}

function textOf(bytes: Buffer, cutBytes: number): string {
  if (cutBytes > 0) return `${bytes.toString('utf8')} … ${cutBytes} bytes left out …`;
  return bytes.toString('utf8', 0, bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length);
}

type Channel = 'stdout' | 'stderr';

interface OutputReceivers {
  readonly onLine: AgentLaunch['onLine'];
  readonly transcript: Transcript;
  /** Undefined: stdout and stderr are pipes. */
  readonly terminal?: Pick<AgentTerminal, 'raw'> | undefined;
  /** Called once, when a receiver has thrown; nothing is handed on after that. */
  readonly onFailure: () => void;
}

interface OpenChannel {
  receive(chunk: Buffer): void;
  end(): void;
}

/** Passes output on to the transcript and to the receiver of lines. */
class PlainChannel implements OpenChannel {
  readonly #lines: OutputLines;
  readonly #transcript: TranscriptChannel;

  constructor(lines: OutputLines, transcript: TranscriptChannel) {
    this.#lines = lines;
    this.#transcript = transcript;
  }

  receive(chunk: Buffer): void {
    this.#transcript.push(chunk);
    this.#lines.push(chunk);
  }

  end(): void {
    this.#transcript.end();
    this.#lines.end();
  }
}

/** Keeps the output of a terminal as it came, and passes on its text. */
class TerminalChannel implements OpenChannel {
  readonly #raw: TranscriptChannel;
  readonly #plain: OpenChannel;
  readonly #text = new TerminalText();

  constructor(raw: TranscriptChannel, plain: OpenChannel) {
    this.#raw = raw;
    this.#plain = plain;
  }

  receive(chunk: Buffer): void {
    this.#raw.push(chunk);
    this.#plain.receive(this.#text.push(chunk));
  }

  end(): void {
    this.#raw.end();
    this.#plain.receive(this.#text.end());
    this.#plain.end();
  }
}

/** Reads everything that a process prints, into the transcript and line by line to its receiver. */
export class AgentOutput {
  readonly #receivers: OutputReceivers;
  readonly #budget = new OutputBudget();
  readonly #channels: OpenChannel[] = [];
  #stdout: OutputLines | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(streams: Readonly<Record<Channel, Readable>>, receivers: OutputReceivers) {
    this.#receivers = receivers;
    this.#read(streams.stdout, 'stdout');
    this.#read(streams.stderr, 'stderr');
  }

  #read(stream: Readable, name: Channel): void {
    const { onLine, transcript, terminal } = this.#receivers;
    // The host of a terminal reports its own problems on stderr.
    const isTerminal = terminal !== undefined && name === 'stdout';
    const lines = new OutputLines(this.#budget, (line) => onLine(line, isTerminal ? 'terminal' : name));
    if (name === 'stdout') this.#stdout = lines;
    const plain = new PlainChannel(lines, transcript.channel());
    const channel = isTerminal ? new TerminalChannel(terminal.raw.channel(), plain) : plain;
    this.#channels.push(channel);
    stream.on('data', (chunk: Buffer) => this.#guard(() => channel.receive(chunk)));
  }

  /** An error of a receiver must end this trial and nothing else, so it may not escape from an event. */
  #guard(receive: () => void): void {
    if (this.#failure !== undefined) return;
    try {
      receive();
    } catch (error) {
      this.#failure = { error };
      this.#receivers.onFailure();
    }
  }

  /** Passes on a last line without an end; throws the error of a receiver. Returns what was lost of the output. */
  finish(): string[] {
    this.#guard(() => {
      for (const channel of this.#channels) channel.end();
    });
    if (this.#failure !== undefined) throw this.#failure.error;
    const { droppedLines } = this.#budget;
    const unreadable = this.#stdout?.unreadableLines ?? 0;
    return [
      ...(droppedLines > 0 ? [`the output of the agent was too long: ${droppedLines} lines were dropped`] : []),
      ...(unreadable > 0 ? [`${counted(unreadable, 'line')} of the agent's output could not be read as UTF-8`] : []),
    ];
  }
}
