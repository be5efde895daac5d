type SentHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * An answer that has been received whole, with as much of the interface of `Response` as reads it. The real one opens
 * a stream for each answer, which costs more than everything else that a call takes here.
 */
export class ReceivedResponse {
  readonly status: number;
  readonly statusText = '';
  readonly redirected = false;
  readonly type = 'default';
  readonly url = '';
  readonly headers: ReadonlyMap<string, string>;
  readonly #text: string;

  constructor(status: number, headers: SentHeaders, text: string) {
    this.status = status;
    this.headers = headersOf(headers);
    this.#text = text;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** One piece, and then the end. */
  get body() {
    let piece: Uint8Array | undefined = this.#text === '' ? undefined : Buffer.from(this.#text);
    const cancel = async (): Promise<void> => {
      piece = undefined;
    };
    const read = async () => {
      const value = piece;
      piece = undefined;
      return value ? { done: false as const, value } : { done: true as const, value: undefined };
    };
    return { cancel, getReader: () => ({ read, cancel, releaseLock: () => undefined }) };
  }

  async text(): Promise<string> {
    return this.#text;
  }

  async json(): Promise<unknown> {
    return JSON.parse(this.#text);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new TextEncoder().encode(this.#text).buffer as ArrayBuffer;
  }
}

/** Names come in lower case; what is sent several times is read by nobody. */
function headersOf(headers: SentHeaders): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'string') read.set(name, value);
  }
  return read;
}
