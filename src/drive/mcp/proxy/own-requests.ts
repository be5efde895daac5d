export type Message = Readonly<Record<string, unknown>>;

/** Requests to the server that the agent did not make, and their answers, which it does not get. */
export class OwnRequests {
  readonly #send: (message: Message) => void;
  readonly #waiting = new Map<unknown, (answer: Message) => void>();
  #made = 0;

  constructor(send: (message: Message) => void) {
    this.#send = send;
  }

  /** Passes a request of the agent on, which gets the answer itself. */
  pass(message: Message): void {
    this.#send(message);
  }

  make(method: string, params: Message): Message {
    return { jsonrpc: '2.0', id: `assay-surface-${++this.#made}`, method, params };
  }

  ask(request: Message): Promise<Message> {
    return new Promise((resolve) => {
      this.#waiting.set(request.id, resolve);
      this.#send(request);
    });
  }

  /** Whether a message answers one of these requests. */
  answer(message: Message): boolean {
    const resolve = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    resolve?.(message);
    return resolve !== undefined;
  }
}
