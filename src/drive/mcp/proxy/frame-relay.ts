import { BoundedOutput } from '../../../shared/processes/bounded-output.ts';
import { longestMessageBytes } from '../wire/wire.ts';

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
