import { LineReader } from './line-reader.ts';

/** One server-sent event. */
export interface ServerSentEvent {
  /** `message` where the stream names none. */
  readonly type: string;
  readonly data: string;
}

/** Reads server-sent events from text that comes in pieces of any size. */
export class EventStream {
  readonly #lines = new LineReader((line) => this.#readLine(line));
  readonly #onEvent: (event: ServerSentEvent) => void;
  #type = '';
  #data: string[] = [];

  constructor(onEvent: (event: ServerSentEvent) => void) {
    this.#onEvent = onEvent;
  }

  add(text: string): void {
    this.#lines.add(text);
  }

  /** Also gives an event that lacks the empty line after it, which many servers forget at the end. */
  end(): void {
    this.#lines.end();
    this.#dispatch();
  }

  #readLine(line: string): void {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#type = value;
  }

  #dispatch(): void {
    const data = this.#data;
    const type = this.#type || 'message';
    this.#data = [];
    this.#type = '';
    if (data.length > 0) this.#onEvent({ type, data: data.join('\n') });
  }
}
