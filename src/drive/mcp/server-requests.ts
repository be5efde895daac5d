import type { Reception } from './reception.ts';
import { internalError, methodNotFound, RpcError, tooBusy } from './rpc-error.ts';
import type { RequestId } from './wire.ts';

type Send = (message: Readonly<Record<string, unknown>>) => void;

/** A server that asks for more at the same time is told to wait. */
const mostOpen = 100;

/** Answers what a server asks of its client. */
export class ServerRequests {
  readonly #send: Send;
  readonly #reception: Reception;
  readonly #open = new Map<RequestId, AbortController>();

  constructor(send: Send, reception: Reception) {
    this.#send = send;
    this.#reception = reception;
  }

  async answer(id: RequestId, method: string, params: unknown): Promise<void> {
    const abort = new AbortController();
    try {
      const handler = this.#reception.handlerOf(method);
      if (!handler) throw new RpcError(methodNotFound, `This client does not answer ${method}.`);
      if (this.#open.size >= mostOpen) throw new RpcError(tooBusy, 'Too many requests are open.');
      this.#open.set(id, abort);
      const result = await handler({ method, params }, abort.signal);
      if (!abort.signal.aborted) this.#send({ jsonrpc: '2.0', id, result });
    } catch (error) {
      if (!abort.signal.aborted) this.#send({ jsonrpc: '2.0', id, error: errorOf(error) });
    } finally {
      if (this.#open.get(id) === abort) this.#open.delete(id);
    }
  }

  /** The server does not want the answer any more. */
  cancel(id: unknown): void {
    this.#open.get(id as RequestId)?.abort();
  }

  cancelAll(): void {
    for (const abort of this.#open.values()) abort.abort();
  }
}

function errorOf(thrown: unknown): Record<string, unknown> {
  if (!(thrown instanceof RpcError)) return { code: internalError, message: String(thrown) };
  const { code, message, data } = thrown;
  return { code, message, ...(data === undefined ? {} : { data }) };
}
