import { EventStream } from './event-stream.ts';
import { LineReader } from './line-reader.ts';

/** In which form an answer comes piece by piece. */
export type StreamForm = 'sse' | 'ndjson' | 'text';

/** Puts an answer together from its pieces. */
export interface StreamReader {
  /** Takes a piece: the data of an event, a line, or any bit of text; tells whether it brought text of the answer. */
  add(piece: string, eventType: string): boolean;
}

/** Cuts an answer into its pieces while it arrives, and notes when the first text came. */
export class StreamedAnswer {
  readonly #reader: StreamReader;
  readonly #pieces: { add(text: string): void; end(): void };
  firstTextAtMs: number | undefined;
  #thrown: { readonly error: unknown } | undefined;

  constructor(form: StreamForm, reader: StreamReader) {
    this.#reader = reader;
    this.#pieces = this.#piecesIn(form);
  }

  add(text: string): void {
    this.#pieces.add(text);
  }

  /** To be called after the last piece; throws what the reader threw, which has nobody to go to while pieces arrive. */
  end(): void {
    this.#pieces.end();
    if (this.#thrown) throw this.#thrown.error;
  }

  #piecesIn(form: StreamForm): { add(text: string): void; end(): void } {
    if (form === 'sse') return new EventStream(({ type, data }) => this.#take(data, type));
    if (form === 'ndjson') return new LineReader((line) => line.trim() !== '' && this.#take(line, 'message'));
    return { add: (text) => text !== '' && this.#take(text, 'message'), end: () => undefined };
  }

  #take(piece: string, eventType: string): void {
    if (this.#thrown) return;
    try {
      if (this.#reader.add(piece, eventType)) this.firstTextAtMs ??= performance.now();
    } catch (error) {
      this.#thrown = { error };
    }
  }
}
