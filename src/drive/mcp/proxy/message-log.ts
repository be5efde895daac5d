import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { ControlAction, ControlKind } from '../../../domain/tool-control/control-event.ts';
import { isRecord } from '../../../shared/json.ts';
import type { FrameSink } from '../control/mcp-reply.ts';
import type { WireEnd } from '../wire/wire.ts';
import type { Direction, LogRecord } from './log-reader.ts';

const longestString = 65_536;
const perPartChars = 8;

/** The same JSON value with long parts left out; its text is not much longer than allowed. */
export function shortened(value: unknown, longestChars: number): unknown {
  return new Shortening(longestChars).of(value);
}

class Shortening {
  #left: number;

  constructor(left: number) {
    this.#left = left;
  }

  of(value: unknown): unknown {
    this.#left -= perPartChars;
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return this.#list(value);
    return isRecord(value) ? this.#record(value) : value;
  }

  #text(text: string): string {
    const room = Math.max(0, Math.min(longestString, this.#left));
    this.#left -= Math.min(room, text.length);
    return text.length <= room ? text : `${text.slice(0, room)} … ${text.length - room} characters left out …`;
  }

  #list(list: readonly unknown[]): unknown[] {
    const kept: unknown[] = [];
    for (const item of list) {
      if (this.#left <= 0) return [...kept, `… ${list.length - kept.length} more left out …`];
      kept.push(this.of(item));
    }
    return kept;
  }

  /** Small parts first: ids and flags say more than what a long text pushes out. */
  #record(record: Record<string, unknown>): Record<string, unknown> {
    const kept: [string, unknown][] = [];
    for (const [key, part] of Object.entries(record).sort(([, a], [, b]) => weight(a) - weight(b))) {
      if (this.#left <= 0) break;
      this.#left -= key.length;
      kept.push([key, this.of(part)]);
    }
    return Object.fromEntries(kept);
  }
}

function weight(part: unknown): number {
  if (typeof part === 'string') return part.length;
  return typeof part === 'object' && part !== null ? Number.MAX_SAFE_INTEGER : 0;
}

/** A longer message is kept without its longest parts. */
const longestTextBytes = 1_048_576;
/** Most bytes that one proxy logs; an endless server must not fill the disk. */
export const longestLogBytes = 64 * 1_048_576;

type Unsigned<Entry> = Entry extends LogRecord ? Omit<Entry, 'proxy' | 'at'> : never;
type EndOfServer = Omit<Extract<LogRecord, { kind: 'end' }>, 'kind' | 'proxy' | 'at' | 'messagesLeftOut'>;

/** Takes the text of a log. */
interface LogSink extends Disposable {
  /** Returns how many bytes it took; throws where it takes nothing any more. */
  write(text: string): number;
}

/** Appends to a file. */
function fileSink(path: string): LogSink | undefined {
  try {
    const file = openSync(path, 'a');
    return { write: (text) => writeSync(file, text), [Symbol.dispose]: () => closeSync(file) };
  } catch {
    return undefined;
  }
}

/** Sends to the keeper of the log, which looks at this process and then answers; undefined where it refuses. */
async function keeperSink(path: string): Promise<LogSink | undefined> {
  const socket = connect(path);
  socket.on('error', () => undefined);
  const isTaken = await Promise.race([
    once(socket, 'data').then(() => true),
    new Promise<false>((resolve) => socket.once('close', () => resolve(false))),
  ]).catch(() => false);
  return isTaken ? socketSink(socket.unref()) : undefined;
}

function socketSink(socket: Socket): LogSink {
  return {
    write(text) {
      if (!socket.writable) throw new Error('the keeper of the log has gone');
      // The system takes it at once, so a kill loses nothing.
      socket.write(text);
      return Buffer.byteLength(text);
    },
    [Symbol.dispose]: () => void socket.ref().end(),
  };
}

/** Where a proxy writes its log: to a keeper, or else to the file. */
interface LogPlace {
  /** Absolute. */
  readonly logFile: string;
  /** Absolute: the socket of the keeper. */
  readonly keeper?: string | undefined;
}

/** Logs the messages of a proxy, each with one write before it is passed on, so a kill loses nothing. */
export class MessageLog implements Disposable {
  /** Of the proxy that writes. */
  readonly proxy = randomBytes(6).toString('hex');
  /** Undefined where nothing can be written: what passes still passes. */
  #sink: LogSink | undefined;
  #bytesLeft = longestLogBytes;
  #messagesLeftOut = 0;

  constructor(path: string, sink = fileSink(path)) {
    this.#sink = sink;
    // Another proxy may have been killed in the middle of its last line.
    this.#append('\n');
    this.#write({ kind: 'start' });
  }

  static async open({ logFile, keeper }: LogPlace): Promise<MessageLog> {
    if (keeper === undefined) return new MessageLog(logFile);
    return new MessageLog(keeper, await keeperSink(keeper));
  }

  get isWritten(): boolean {
    return this.#sink !== undefined;
  }

  message(direction: Direction, frame: Buffer, isByProxy = false, answeredBy?: ControlKind): void {
    this.#count({
      kind: 'message',
      direction,
      ...(frame.length <= longestTextBytes ? { text: frame.toString('utf8') } : shortText(frame)),
      ...(isByProxy ? { byProxy: true } : {}),
      ...(answeredBy ? { answeredBy } : {}),
    });
  }

  oversized(direction: Direction, bytes: number, id: string | number | null): void {
    this.#count({ kind: 'oversized', direction, bytes, id });
  }

  /** A search or a program that the proxy answered itself. */
  surfaceCall({ input, ...call }: Omit<Unsigned<Extract<LogRecord, { kind: 'surface-call' }>>, 'kind'>): void {
    this.#count({ kind: 'surface-call', ...call, input: shortened(input, longestTextBytes / 2) });
  }

  /** A request that the server will not answer any more, though it may answer others. */
  unanswered(id: string | number, { code, what, isInjected }: WireEnd): void {
    this.#count({ kind: 'unanswered', id, code, what, ...(isInjected && { isInjected }) });
  }

  /** Assay acted on a call. */
  control(action: ControlAction): void {
    this.#count({ kind: 'control', action });
  }

  /** Messages to and from the real server, where calls are recorded. */
  tape(): FrameSink {
    const end = (id: string | number | null, { code, what }: WireEnd): void =>
      this.#count({ kind: 'tape-end', id, code, what });
    return {
      sent: (message) => this.#tape('to-server', message),
      received: (message) => this.#tape('from-server', message),
      unanswered: end,
      ended: (given) => end(null, given),
    };
  }

  #tape(direction: Direction, message: unknown): void {
    const frame = Buffer.from(JSON.stringify(message));
    const isWhole = frame.length <= longestTextBytes;
    this.#count({ kind: 'tape', direction, ...(isWhole ? { text: frame.toString('utf8') } : shortText(frame)) });
  }

  end(end: EndOfServer): void {
    this.#write({ kind: 'end', ...end, messagesLeftOut: this.#messagesLeftOut });
  }

  [Symbol.dispose](): void {
    this.#sink?.[Symbol.dispose]();
    this.#sink = undefined;
  }

  #count(record: Unsigned<LogRecord>): void {
    if (this.#bytesLeft > 0) this.#write(record);
    else if (this.#messagesLeftOut++ === 0) this.#write({ kind: 'full' });
  }

  #write(record: Unsigned<LogRecord>): void {
    const at = Math.round((performance.timeOrigin + performance.now()) * 100) / 100;
    this.#append(`${JSON.stringify({ ...record, proxy: this.proxy, at })}\n`);
  }

  #append(text: string): void {
    try {
      this.#bytesLeft -= this.#sink?.write(text) ?? 0;
    } catch {
      this.#sink = undefined;
    }
  }
}

function shortText(frame: Buffer): { text: string; bytesLeftOut: number } {
  const text = shortJson(frame.toString('utf8')) ?? frame.toString('utf8', 0, longestTextBytes);
  return { text, bytesLeftOut: Math.max(1, frame.length - Buffer.byteLength(text)) };
}

function shortJson(text: string): string | undefined {
  try {
    return JSON.stringify(shortened(JSON.parse(text), longestTextBytes / 2));
  } catch {
    return undefined;
  }
}
