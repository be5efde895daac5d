import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Writes a reply piece by piece. A chunk goes to the connection as one buffer: Node.js would hand over its length, its
 * bytes and two line ends one by one, which takes as long as everything else that happens to it.
 */
export class ReplyWriter {
  readonly #response: ServerResponse;
  readonly #connection: Socket | null;

  /** Of a response whose head was sent. */
  constructor(response: ServerResponse) {
    this.#response = response;
    // A response that waits for an earlier one on its connection does not have the connection yet.
    this.#connection = response.chunkedEncoding ? response.socket : null;
  }

  /** False where the client has not taken what was written before: then wait for `onceDrained`. */
  write(piece: Buffer): boolean {
    const connection = this.#connection;
    if (connection === null) return this.#response.write(piece);
    return connection.destroyed || piece.length === 0 || connection.write(chunkOf(piece));
  }

  onceDrained(proceed: () => void): void {
    (this.#connection ?? this.#response).once('drain', proceed);
  }
}

function chunkOf(piece: Buffer): Buffer {
  const size = `${piece.length.toString(16)}\r\n`;
  const chunk = Buffer.allocUnsafe(size.length + piece.length + 2);
  chunk.write(size, 'latin1');
  piece.copy(chunk, size.length);
  chunk.write('\r\n', chunk.length - 2, 'latin1');
  return chunk;
}
