import { internalError, RpcError } from '../../../shared/json-rpc.ts';
import { type JsonObject, numberOf, objectOf, textOf } from '../json-shapes.ts';

interface RpcHandlers {
  /** The answer to a request of the other side; an RpcError is passed on as it is. */
  readonly onRequest: (method: string, params: unknown) => unknown;
  readonly onNotification: (method: string, params: unknown) => void;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One side of a JSON-RPC connection with one message per line; anything else is refused and harms nothing. */
export class JsonRpcPeer {
  readonly #send: (line: string) => void;
  readonly #handlers: RpcHandlers;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #closed: Error | undefined;

  constructor(send: (line: string) => void, handlers: RpcHandlers) {
    this.#send = send;
    this.#handlers = handlers;
  }

  /** Rejects with the error that the other side answers, or with the reason why the connection ended. */
  request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(this.#closed);
      this.#waiting.set(id, { resolve, reject });
      this.#write({ id, method, params });
    });
  }

  notify(method: string, params: unknown): void {
    this.#write({ method, params });
  }

  /** Handles a frame of the other side; false when it is not a message, or an answer to no pending request. */
  receive(frame: JsonObject): boolean {
    const { id, params } = frame;
    const method = textOf(frame.method);
    if (method === undefined) return this.#settle(frame);
    if (typeof id === 'number' || typeof id === 'string') void this.#answer(id, method, params);
    else this.#handlers.onNotification(method, params);
    return true;
  }

  /** Ends all requests that wait for an answer, now and from now on. */
  close(reason: Error): void {
    this.#closed ??= reason;
    for (const { reject } of this.#waiting.values()) reject(this.#closed);
    this.#waiting.clear();
  }

  #settle(frame: JsonObject): boolean {
    const id = numberOf(frame.id);
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    // An answer that comes again changes nothing.
    if (id === undefined || waiting === undefined) return id !== undefined && id > 0 && id <= this.#lastId;
    this.#waiting.delete(id);
    const { error, result } = frame;
    if (error === undefined || error === null) waiting.resolve(result);
    else waiting.reject(rpcErrorFrom(error));
    return true;
  }

  async #answer(id: number | string, method: string, params: unknown): Promise<void> {
    try {
      this.#write({ id, result: (await this.#handlers.onRequest(method, params)) ?? {} });
    } catch (error) {
      const { code, message } = error instanceof RpcError ? error : new RpcError(internalError, String(error));
      this.#write({ id, error: { code, message } });
    }
  }

  #write(frame: Record<string, unknown>): void {
    if (this.#closed === undefined) this.#send(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
  }
}

/** Whether a method is an agent's own, beside the protocol, which every client may pass over. */
export function isExtension(method: unknown): boolean {
  return typeof method === 'string' && (method.startsWith('_') || method.startsWith('$/'));
}

/** The error of an answer, with all that it says: the provider's own words are often in its data only. */
export function rpcErrorFrom(error: unknown): RpcError {
  const { code, message, data } = objectOf(error);
  return new RpcError(numberOf(code) ?? 0, textOf(message) ?? 'the agent answered with an error', data);
}
