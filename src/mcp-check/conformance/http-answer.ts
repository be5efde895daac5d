import type { ServerResponse } from 'node:http';

type Message = Readonly<Record<string, unknown>>;

interface AnswerOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Versions of the protocol with sessions answer errors of the protocol with 200. */
  readonly hasSession: boolean;
}

/** Statuses of errors in versions of the protocol without sessions. */
const statuses: Readonly<Record<string, number>> = {
  '-32700': 400,
  '-32600': 400,
  '-32601': 404,
  '-32602': 400,
  '-32020': 400,
  '-32021': 400,
  '-32022': 400,
};

/** The answer to one HTTP request: one document, or a stream where other messages come before the response. */
export class HttpAnswer {
  readonly #response: ServerResponse;
  readonly #options: AnswerOptions;

  constructor(response: ServerResponse, options: AnswerOptions) {
    this.#response = response;
    this.#options = options;
  }

  /** Sends a message that comes before the response. */
  push(message: Message): void {
    if (!this.#response.headersSent)
      this.#response.writeHead(200, { ...this.#options.headers, 'content-type': 'text/event-stream' });
    this.#response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  finish(message: Message): void {
    if (this.#response.headersSent) {
      this.push(message);
      this.#response.end();
      return;
    }
    const { headers } = this.#options;
    this.#response.writeHead(this.#statusOf(message), { ...headers, 'content-type': 'application/json' });
    this.#response.end(JSON.stringify(message));
  }

  /** Ends it without a response, because none can come. */
  fail(): void {
    if (!this.#response.headersSent) this.#response.writeHead(502);
    this.#response.end();
  }

  /** Calls the listener where the client left before the response. */
  onLeft(listener: () => void): void {
    this.#response.on('close', () => {
      if (!this.#response.writableEnded) listener();
    });
  }

  #statusOf({ error }: Message): number {
    if (this.#options.hasSession || error === undefined) return 200;
    return statuses[String((error as { readonly code?: unknown }).code)] ?? 200;
  }
}
