import { createParser } from 'eventsource-parser';

/** The form in which an answer is streamed. */
export type StreamForm = 'sse' | 'ndjson' | 'text';

/** Assembles an answer from its pieces. */
export interface StreamReader {
  /** Takes a piece: the data of an event, a line, or any bit of text; returns whether it added text to the answer. */
  add(piece: string, eventType: string): boolean;
}

interface PieceSplitter {
  add(text: string): void;
  end(): void;
}

/** Splits an answer into its pieces while it arrives, and notes when the first text came. */
export class StreamedAnswer {
  readonly #reader: StreamReader;
  readonly #pieces: PieceSplitter;
  firstTextAtMs: number | undefined;
  #thrown: { readonly error: unknown } | undefined;

  constructor(form: StreamForm, reader: StreamReader) {
    this.#reader = reader;
    this.#pieces = this.#splitterFor(form);
  }

  add(text: string): void {
    this.#pieces.add(text);
  }

  /** Call it after the last piece: it throws what the reader threw, which no caller could catch while pieces arrived. */
  end(): void {
    this.#pieces.end();
    if (this.#thrown) throw this.#thrown.error;
  }

  #splitterFor(form: StreamForm): PieceSplitter {
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

/** One server-sent event. */
export interface ServerSentEvent {
  /** `message` where the stream names none. */
  readonly type: string;
  readonly data: string;
}

/** Reads server-sent events from text that comes in pieces of any size. */
export class EventStream implements PieceSplitter {
  readonly #parser;
  #isFirst = true;

  constructor(onEvent: (event: ServerSentEvent) => void) {
    this.#parser = createParser({ onEvent: ({ event = 'message', data }) => onEvent({ type: event, data }) });
  }

  add(text: string): void {
    if (text === '') return;
    // The parser knows the byte order mark as bytes only.
    this.#parser.feed(this.#isFirst ? text.replace(/^\uFEFF/, '') : text);
    this.#isFirst = false;
  }

  /** Also emits an event that lacks the empty line after it, which many servers forget at the end. */
  end(): void {
    this.#parser.feed('\n\n');
  }
}

/** Splits text that comes in pieces of any size into lines; lines may end as on any system. */
export class LineReader implements PieceSplitter {
  readonly #onLine: (line: string) => void;
  #rest = '';
  #isFirst = true;
  #endedInReturn = false;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  add(piece: string): void {
    if (piece === '') return;
    let text = this.#isFirst ? piece.replace(/^\uFEFF/, '') : piece;
    this.#isFirst = false;
    if (this.#endedInReturn && text.startsWith('\n')) text = text.slice(1);
    this.#endedInReturn = piece.endsWith('\r');
    // Only the new part is searched: searching a line of many pieces again with each of them would be quadratic.
    if (!/[\r\n]/.test(text)) {
      this.#rest += text;
      return;
    }
    const lines = (this.#rest + text).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#onLine(line);
  }

  /** Emits a last line that has no end. */
  end(): void {
    const line = this.#rest;
    this.#rest = '';
    if (line !== '') this.#onLine(line);
  }
}
