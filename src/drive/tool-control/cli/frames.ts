/** One message between a stand-in and the control: a letter, the length of its content, and the content. */
export interface Frame {
  readonly kind: string;
  readonly content: Buffer;
}

const headBytes = 5;
/** More than a stand-in may send: output and standard input are cut before. */
const mostFrameBytes = 64 * 1024 * 1024;

export function frameOf(kind: string, content: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(headBytes);
  head.write(kind, 0, 'latin1');
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

/** Fields in a content, each with its length before it. */
export function contentOf(fields: readonly Buffer[]): Buffer {
  return Buffer.concat(
    fields.flatMap((field) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(field.length);
      return [length, field];
    }),
  );
}

/** The fields of a content; undefined where it is not whole. */
export function fieldsOf(content: Buffer): Buffer[] | undefined {
  const fields: Buffer[] = [];
  let at = 0;
  while (at < content.length) {
    if (at + 4 > content.length) return undefined;
    const end = at + 4 + content.readUInt32BE(at);
    if (end > content.length) return undefined;
    fields.push(content.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

/** Puts the pieces that a socket delivers together again. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #bytes = 0;

  /** The frames that are whole; undefined when the sender does not keep to the format. */
  take(piece: Buffer): Frame[] | undefined {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    const frames: Frame[] = [];
    while (this.#bytes >= headBytes) {
      const head = this.#joined(headBytes);
      const length = head.readUInt32BE(1);
      if (length > mostFrameBytes) return undefined;
      if (this.#bytes < headBytes + length) break;
      const all = this.#joined(headBytes + length);
      frames.push({ kind: all.toString('latin1', 0, 1), content: all.subarray(headBytes, headBytes + length) });
      const rest = all.subarray(headBytes + length);
      this.#pieces = [rest, ...this.#pieces.slice(1)];
      this.#bytes -= headBytes + length;
    }
    return frames;
  }

  /** The first piece, which then has at least so many bytes. */
  #joined(bytes: number): Buffer {
    const [first = Buffer.alloc(0)] = this.#pieces;
    if (first.length >= bytes) return first;
    const all = Buffer.concat(this.#pieces);
    this.#pieces = [all];
    return all;
  }
}
