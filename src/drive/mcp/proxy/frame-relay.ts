import { BoundedOutput } from '../../../shared/processes/bounded-output.ts';
import { longestMessageBytes } from '../wire/wire.ts';
import type { Direction } from './log-reader.ts';
import type { MessageLog } from './message-log.ts';
import type { Wording } from './wording.ts';

const lineFeed = Buffer.from('\n');
const edgeBytes = 1_024;

interface FrameListener {
  /** Hears a whole line before it is sent on; gives what is sent instead: null for nothing, undefined for the line itself. */
  onFrame(frame: Buffer): Buffer | null | undefined;
  /** Hears of a line that was too long to be held, when it has been sent on. */
  onOversized(bytes: number, edges: string): void;
}

/**
 * Passes lines of one stream on to another, each when it is whole. Nothing but what the listener gives instead changes
 * a byte. A line that is too long to be held is passed on as it comes.
 */
export class FrameRelay {
  readonly #listener: FrameListener;
  readonly #limitBytes: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #oversized: BoundedOutput | undefined;

  constructor(listener: FrameListener, limitBytes = longestMessageBytes) {
    this.#listener = listener;
    this.#limitBytes = limitBytes;
  }

  /** Gives what is to be sent on now. */
  push(chunk: Buffer): Buffer {
    const sent: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.#take(chunk.subarray(start, end), sent);
      this.#finish(sent, lineFeed);
      start = end + 1;
    }
    if (start < chunk.length) this.#take(chunk.subarray(start), sent);
    return joined(sent);
  }

  /** Gives the rest: a last line may have no end. */
  end(): Buffer {
    const sent: Buffer[] = [];
    if (this.#heldBytes > 0 || this.#oversized) this.#finish(sent, Buffer.alloc(0));
    return joined(sent);
  }

  #take(part: Buffer, sent: Buffer[]): void {
    if (part.length === 0) return;
    if (this.#oversized) {
      this.#oversized.append(part);
      sent.push(part);
      return;
    }
    this.#held.push(part);
    this.#heldBytes += part.length;
    if (this.#heldBytes <= this.#limitBytes) return;
    this.#oversized = new BoundedOutput(edgeBytes, edgeBytes);
    for (const held of this.#held) this.#oversized.append(held);
    sent.push(...this.#held);
    this.#forget();
  }

  #finish(sent: Buffer[], lineEnd: Buffer): void {
    const oversized = this.#oversized;
    this.#oversized = undefined;
    if (oversized) {
      sent.push(lineEnd);
      this.#listener.onOversized(oversized.totalBytes, oversized.text());
      return;
    }
    const frame = joined(this.#held);
    this.#forget();
    const instead = this.#listener.onFrame(frame);
    if (instead !== null) sent.push(instead ?? frame, lineEnd);
  }

  #forget(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }
}

function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return parts.length === 1 && first ? first : Buffer.concat(parts);
}

const id = String.raw`(-?\d+|"(?:[^"\\]|\\.){0,200}")`;
const idAtStart = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*${id}\s*,`);
const idAtEnd = new RegExp(String.raw`"id"\s*:\s*${id}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`);

/** The id of a message of which only both ends are known: programs write it first or last. */
export function idAtEdge(edges: string): string | number | null {
  const found = (idAtStart.exec(edges) ?? idAtEnd.exec(edges))?.[1];
  return found === undefined ? null : (JSON.parse(found) as string | number);
}

/** The messages between an agent and a server: logged as the server sees them, passed to the agent in the chosen wording. */
export class Exchange {
  readonly #log: MessageLog;
  readonly #wording: Wording | undefined;
  readonly #answerAgent: (frame: Buffer) => void;

  constructor(log: MessageLog, wording: Wording | undefined, answerAgent: (frame: Buffer) => void) {
    this.#log = log;
    this.#wording = wording;
    this.#answerAgent = answerAgent;
  }

  /** Gives what the server gets instead of the line of the agent; null where it gets nothing. */
  toServer(frame: Buffer): Buffer | null | undefined {
    const worded = this.#wording?.toServer(frame);
    for (const { request, answer } of worded?.refused ?? []) this.#refuse(request, answer);
    if (worded?.frame === null) return null;
    this.#keep('to-server', worded?.frame ?? frame);
    return worded?.frame;
  }

  /** Gives what the agent gets instead of the line of the server. */
  fromServer(frame: Buffer): Buffer | undefined {
    this.#keep('from-server', frame);
    return this.#wording?.fromServer(frame);
  }

  oversized(direction: Direction, bytes: number, edges: string): void {
    this.#log.oversized(direction, bytes, idAtEdge(edges));
  }

  #keep(direction: Direction, frame: Buffer): void {
    if (frame.length > 0) this.#log.message(direction, frame);
  }

  #refuse(request: object, answer: object): void {
    const bytes = Buffer.from(JSON.stringify(answer));
    this.#log.message('to-server', Buffer.from(JSON.stringify(request)), true);
    this.#log.message('from-server', bytes, true);
    this.#answerAgent(bytes);
  }
}
