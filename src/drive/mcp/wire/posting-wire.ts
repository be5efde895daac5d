import { isRecord } from '../../../shared/json.ts';
import { checkedFetch } from './checked-fetch.ts';
import type { Fetch } from './environment-fetch.ts';
import type { AuthorizedAddress } from './http-address.ts';
import {
  endBy,
  followRedirects,
  type Message,
  readMessages,
  requestIdOf,
  type StreamPosition,
} from './http-messages.ts';
import { type RequestId, tooLong, type Wire, type WireEnd, type WireListener } from './wire.ts';

type HeaderFields = Readonly<Record<string, string>>;

/** Time in which a server may end a stream after the answer. */
const lastWordsMs = 1_000;

const contentHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A wire on which each message is posted, and each answer comes in the response to its request. */
export abstract class PostingWire implements Wire {
  protected readonly address: AuthorizedAddress;
  protected readonly listener: WireListener;
  protected readonly fetch: Fetch;
  protected isOver = false;
  readonly #takesErrorsWithoutId: boolean;
  readonly #open = new Map<RequestId, AbortController>();
  readonly #exchanges = new Set<AbortController>();

  constructor(address: AuthorizedAddress, listener: WireListener, takesErrorsWithoutId: boolean) {
    this.address = address;
    this.listener = listener;
    this.#takesErrorsWithoutId = takesErrorsWithoutId;
    const { redact, authorization, fetch } = address;
    this.fetch = checkedFetch({
      redact,
      fetch,
      authorization,
      hasAnswers: true,
      takesErrorsWithoutId,
      onTooLong: () => this.#end(tooLong),
      onFailure: () => undefined,
    });
  }

  abstract send(message: Message, headers?: HeaderFields): Promise<void>;

  abstract useProtocolVersion(version: string): void;

  cancel(requestId: RequestId): boolean {
    const exchange = this.#open.get(requestId);
    this.#open.delete(requestId);
    exchange?.abort();
    return exchange !== undefined;
  }

  get processTag(): undefined {
    return undefined;
  }

  stderr(): undefined {
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isOver = true;
    for (const exchange of this.#exchanges) exchange.abort();
  }

  /** Posts a message and reads the response to a request; an answer that is not in it does not come any more. */
  protected async post(message: Message, headers: HeaderFields): Promise<void> {
    const id = requestIdOf(message);
    await this.during(async (abort) => {
      if (id !== undefined) this.#open.set(id, abort);
      try {
        const response = await this.#exchange(JSON.stringify(message), headers, abort.signal);
        this.arrived(response);
        if (id === undefined) return void (await response.body?.cancel());
        await this.readAnswer(response, id, abort);
        this.#unanswered(id, { code: 'MCP_SERVER_DIED', what: 'closed the stream without the answer' });
      } catch (error) {
        if (id !== undefined) this.#unanswered(id, endBy(error, this.address.redact));
      }
    });
  }

  /** Runs an exchange, which ends at the latest with the wire. */
  protected async during(work: (abort: AbortController) => Promise<void>): Promise<void> {
    const abort = new AbortController();
    this.#exchanges.add(abort);
    await work(abort).finally(() => this.#exchanges.delete(abort));
  }

  /** Called with the response to each message. */
  protected arrived(_response: Response): void {}

  protected isWaitingFor(id: RequestId): boolean {
    return this.#open.has(id);
  }

  /** Reads messages up to the end of a response, or until a moment after the answer to the request. */
  protected async readAnswer(
    response: Response,
    id: RequestId,
    abort: AbortController,
    position?: StreamPosition,
  ): Promise<void> {
    let lastWords: NodeJS.Timeout | undefined;
    const onMessage = (message: Message): void => {
      this.#take(message, id);
      if (!this.#open.has(id)) lastWords ??= setTimeout(() => abort.abort(), lastWordsMs).unref();
    };
    const onStray = (text: string): void => this.listener.onStray(text);
    try {
      await readMessages(response, this.address.redact, { onMessage, onStray, position });
    } finally {
      clearTimeout(lastWords);
    }
  }

  async #exchange(body: string, given: HeaderFields, signal: AbortSignal): Promise<Response> {
    const headers = new Headers(contentHeaders);
    for (const [name, value] of Object.entries({ ...this.address.headers, ...given })) headers.set(name, value);
    return followRedirects(this.address, this.address.url, (url) =>
      this.fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' }),
    );
  }

  /** Where versions of the protocol allow it, an error without an id is about the request that it follows. */
  #take(message: Message, id: RequestId): void {
    if (this.isOver) return;
    const isWithoutId = message.method === undefined && (message.id ?? null) === null && isRecord(message.error);
    const answer = isWithoutId && this.#takesErrorsWithoutId ? { ...message, id } : message;
    if (answer.method === undefined && (typeof answer.id === 'string' || typeof answer.id === 'number'))
      this.#open.delete(answer.id);
    this.listener.onMessage(answer);
  }

  #unanswered(id: RequestId, end: WireEnd): void {
    if (this.#open.delete(id) && !this.isOver) this.listener.onUnanswered(id, end);
  }

  #end(end: WireEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.listener.onEnd(end);
    for (const exchange of this.#exchanges) exchange.abort();
  }
}
