import { metaOf } from '../../drive/mcp/protocol-versions.ts';
import type { RequestId, Wire, WireListener } from '../../drive/mcp/wire/wire.ts';
import { isRecord } from '../../shared/json.ts';
import type { HttpAnswer } from './http-answer.ts';

export type Message = Readonly<Record<string, unknown>>;
/** Starts the program of the server. */
export type StartProgram = (listener: WireListener) => Wire;

interface OpenRequest {
  readonly answer: HttpAnswer;
  readonly progressToken: unknown;
}

/** One program of a server over stdio, and the HTTP requests that wait for it. */
export class BridgedProgram implements WireListener, AsyncDisposable {
  readonly #wire: Wire;
  readonly #open = new Map<unknown, OpenRequest>();
  isOver = false;

  constructor(start: StartProgram) {
    this.#wire = start(this);
  }

  hasOpen(id: unknown): boolean {
    return this.#open.has(id);
  }

  send(message: Message): void {
    void this.#wire.send(message);
  }

  /** Sends a request, and its answer to those who wait for it. */
  ask(message: Message, answer: HttpAnswer): void {
    if (this.isOver) {
      answer.fail();
      return;
    }
    const { id, params } = message;
    this.#open.set(id, { answer, progressToken: metaOf(params).progressToken });
    answer.onLeft(() => this.#cancel(id));
    this.send(message);
  }

  #cancel(requestId: unknown): void {
    if (this.#open.delete(requestId))
      this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  }

  onMessage(message: unknown): void {
    for (const part of Array.isArray(message) ? message : [message]) if (isRecord(part)) this.#pass(part);
  }

  #pass(message: Message): void {
    if (message.method === undefined) {
      this.#open.get(message.id)?.answer.finish(message);
      this.#open.delete(message.id);
    } else this.#requestOf(message)?.answer.push(message);
  }

  /** Over stdio only progress says which request it belongs to; other messages go with the oldest that is open. */
  #requestOf({ params }: Message): OpenRequest | undefined {
    const open = [...this.#open.values()];
    const token = isRecord(params) ? params.progressToken : undefined;
    return open.find(({ progressToken }) => token !== undefined && progressToken === token) ?? open[0];
  }

  onStray(): void {
    // The check of the server reports lines that are not messages.
  }

  onEnd(): void {
    this.isOver = true;
    for (const { answer } of this.#open.values()) answer.fail();
    this.#open.clear();
  }

  onUnanswered(requestId: RequestId): void {
    this.#open.get(requestId)?.answer.fail();
    this.#open.delete(requestId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.onEnd();
    await this.#wire[Symbol.asyncDispose]();
  }
}
