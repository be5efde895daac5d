/** The part of an `EventSource` that is used. */
export type StreamSource = EventTarget & Pick<EventSource, 'readyState' | 'close'>;

/** Messages between the pages of one stream. */
type Note =
  | { readonly kind: 'opened' | 'lost' }
  | { readonly kind: 'event'; readonly data: string }
  /** A page that has come later and wants the events so far. */
  | { readonly kind: 'joined'; readonly page: string }
  | { readonly kind: 'caught-up'; readonly page: string; readonly isOpen: boolean; readonly events: readonly string[] };

/** The part of the locks of a browser that is used. */
export interface Locks {
  request(name: string, options: { readonly signal: AbortSignal }, held: () => Promise<void>): Promise<void>;
}

interface SharedStreamParts {
  readonly locks: Locks;
  readonly open: () => StreamSource;
}

/** Events that a page which comes later needs: the last has the state, those before it the failures. */
const keptEvents = 50;

const [connecting, opened, closed] = [0, 1, 2];

/**
 * One event stream for all pages of a browser that follow the same run. A browser opens six connections to a server, so
 * with a stream for each page the seventh would never load. The page with the lock reads the stream and passes it on;
 * when it is closed, the next one takes over.
 */
export class SharedStream extends EventTarget implements StreamSource {
  readonly #channel: BroadcastChannel;
  readonly #ending = new AbortController();
  readonly #page = Math.random().toString(36).slice(2);
  readonly #events: string[] = [];
  #source: StreamSource | null = null;
  #letGo: () => void = () => {};
  readyState = connecting as number;

  constructor(name: string, { locks, open }: SharedStreamParts) {
    super();
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => this.#hear(data as Note);
    this.#send({ kind: 'joined', page: this.#page });
    const lead = (): Promise<void> => {
      this.#read(open());
      return new Promise((resolve) => {
        this.#letGo = resolve;
      });
    };
    locks.request(name, { signal: this.#ending.signal }, lead).catch(() => {});
  }

  close(): void {
    this.readyState = closed;
    this.#ending.abort();
    this.#source?.close();
    this.#letGo();
    this.#channel.close();
  }

  /** Reads the stream for all pages. */
  #read(source: StreamSource): void {
    this.#source = source;
    source.addEventListener('open', () => {
      this.#becomeOpen();
      this.#send({ kind: 'opened' });
    });
    source.addEventListener('message', (message) => {
      if (!(message instanceof MessageEvent)) return;
      const data = String(message.data);
      // First to the others: the last event makes this page close the stream.
      this.#send({ kind: 'event', data });
      this.#take(data);
    });
    source.addEventListener('error', () => {
      this.#send({ kind: 'lost' });
      // A source that was refused gives up, and the next page tries.
      if (source.readyState === closed) this.close();
      this.#lose(source.readyState);
    });
  }

  #hear(note: Note): void {
    if (note.kind === 'opened') this.#becomeOpen();
    else if (note.kind === 'lost') this.#lose(connecting);
    else if (note.kind === 'event') this.#take(note.data);
    else if (note.kind === 'joined' && this.#source) this.#catchUp(note.page);
    else if (note.kind === 'caught-up' && note.page === this.#page) {
      if (note.isOpen) this.#becomeOpen();
      for (const data of note.events) this.#take(data);
    }
  }

  #catchUp(page: string): void {
    this.#send({ kind: 'caught-up', page, isOpen: this.readyState === opened, events: [...this.#events] });
  }

  #take(data: string): void {
    this.#events.push(data);
    if (this.#events.length > keptEvents) this.#events.shift();
    this.dispatchEvent(new MessageEvent('message', { data }));
  }

  #becomeOpen(): void {
    if (this.readyState === opened) return;
    this.readyState = opened;
    this.dispatchEvent(new Event('open'));
  }

  #lose(state: number): void {
    this.readyState = state;
    this.dispatchEvent(new Event('error'));
  }

  #send(note: Note): void {
    if (this.readyState !== closed) this.#channel.postMessage(note);
  }
}

/** The event stream of an address, shared between pages where the browser has locks (not on plain HTTP elsewhere). */
export function openStream(url: string): StreamSource {
  const open = (): StreamSource => new EventSource(url);
  const locks: Locks | undefined = globalThis.navigator?.locks;
  return locks ? new SharedStream(`assay-stream ${url}`, { locks, open }) : open();
}
