import { internalError, invalidParams, methodNotFound, RpcError, serverError } from '../../shared/json-rpc.ts';
import type { IncomingHandlers } from './incoming.ts';
import type { MessageRules } from './schemas/message-rules.ts';
import { type Refusal, refusalText } from './schemas/refusal.ts';
import type { RequestId } from './wire/wire.ts';

type Send = (message: Readonly<Record<string, unknown>>) => void;

/** Further requests at the same time are refused. */
const mostOpen = 100;

/** Answers what a server asks of its client. */
export class ServerRequests {
  readonly #send: Send;
  readonly #incoming: IncomingHandlers;
  readonly #open = new Map<RequestId, AbortController>();

  constructor(send: Send, incoming: IncomingHandlers) {
    this.#send = send;
    this.#incoming = incoming;
  }

  async answer(id: RequestId, method: string, params: unknown, rules: MessageRules | undefined): Promise<void> {
    const abort = new AbortController();
    try {
      const refusal = rules?.request('legacy', method, params);
      if (refusal) throw this.#refused(method, refusal);
      const handler = this.#incoming.handlerOf(method);
      if (!handler) throw new RpcError(methodNotFound, `This client does not answer ${method}.`);
      if (this.#open.size >= mostOpen) throw new RpcError(serverError, 'Too many requests are open.');
      this.#open.set(id, abort);
      const result = await handler({ method, params }, abort.signal);
      if (!abort.signal.aborted) this.#send({ jsonrpc: '2.0', id, result });
    } catch (error) {
      if (!abort.signal.aborted) this.#send({ jsonrpc: '2.0', id, error: errorOf(error) });
    } finally {
      if (this.#open.get(id) === abort) this.#open.delete(id);
    }
  }

  #refused(method: string, refusal: Refusal): RpcError {
    this.#incoming.refuse(method, refusal);
    return new RpcError(invalidParams, `Invalid parameters of ${method}: ${refusalText(refusal)}`);
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
