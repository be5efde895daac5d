import { BoundedOutput } from '../../../shared/processes/bounded-output.ts';
import { joined, LineCutter } from '../wire/message-lines.ts';
import { longestMessageBytes } from '../wire/wire.ts';

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
  readonly #lines: LineCutter;
  readonly #sent: Buffer[] = [];
  #lineEnd = Buffer.from('\n');
  #oversized: BoundedOutput | undefined;

  constructor(listener: FrameListener, limitBytes = longestMessageBytes) {
    this.#lines = new LineCutter(limitBytes, {
      onLine: (frame) => {
        const instead = listener.onFrame(frame);
        if (instead !== null) this.#sent.push(instead ?? frame, this.#lineEnd);
      },
      onLongPart: (part) => {
        this.#oversized ??= new BoundedOutput(edgeBytes, edgeBytes);
        this.#oversized.append(part);
        this.#sent.push(part);
      },
      onLongEnd: () => {
        this.#sent.push(this.#lineEnd);
        if (this.#oversized) listener.onOversized(this.#oversized.totalBytes, this.#oversized.text());
        this.#oversized = undefined;
      },
    });
  }

  /** Gives what is to be sent on now. */
  push(chunk: Buffer): Buffer {
    this.#lines.append(chunk);
    return joined(this.#sent.splice(0));
  }

  /** Gives the rest: a last line may have no end. */
  end(): Buffer {
    this.#lineEnd = Buffer.alloc(0);
    this.#lines.end();
    return joined(this.#sent.splice(0));
  }
}
