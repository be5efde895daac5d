import { type RequestId, type Wire, type WireEnd, WireError, type WireListener } from '../wire/wire.ts';
import { WireAround } from '../wire/wire-around.ts';
import type { Message } from './mcp-reply.ts';
import { requestIdOf } from './mcp-reply.ts';
import { OwnHandshake } from './own-handshake.ts';

type OpenWire = (listener: WireListener) => Promise<Wire>;
type Headers = Readonly<Record<string, string>>;

/**
 * A wire whose server is ended and started again while its client stays: a program is a new process, and a server that is
 * reached over HTTP gets a new session. What the client sends meanwhile waits.
 */
export class RestartableWire extends WireAround {
  readonly #listener: WireListener;
  readonly #openInner: OpenWire;
  readonly #handshake = new OwnHandshake();
  readonly #inFlight = new Set<RequestId>();
  #greeting: Message | undefined;
  #restarting: Promise<void> | undefined;
  #isOver = false;

  private constructor(listener: WireListener, openInner: OpenWire) {
    super();
    this.#listener = listener;
    this.#openInner = openInner;
  }

  static async open(listener: WireListener, openInner: OpenWire): Promise<RestartableWire> {
    const wire = new RestartableWire(listener, openInner);
    await wire.#open();
    return wire;
  }

  /** Ends the server and starts it again; `onLost` gets the requests that it had not answered. */
  restart(onLost: (ids: readonly RequestId[]) => void): void {
    const restarting = (this.#restarting ?? Promise.resolve()).then(() => this.#renew(onLost));
    this.#restarting = restarting;
    void restarting
      .catch((error: unknown) => this.#end(endOf(error)))
      .then(() => {
        if (this.#restarting === restarting) this.#restarting = undefined;
      });
  }

  override send(message: Message, headers?: Headers): Promise<void> | undefined {
    if (message.method === 'initialize') this.#greeting = message;
    if (!this.#restarting) return this.#pass(message, headers);
    return this.#restarting.then(
      () => this.#pass(message, headers),
      () => undefined,
    );
  }

  override cancel(requestId: RequestId): boolean {
    this.#inFlight.delete(requestId);
    return super.cancel(requestId);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#handshake.end();
    await this.#restarting?.catch(() => undefined);
    await super[Symbol.asyncDispose]();
  }

  #pass(message: Message, headers: Headers | undefined): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    const id = message.method === undefined ? undefined : requestIdOf(message);
    if (id !== undefined) this.#inFlight.add(id);
    return super.send(message, headers);
  }

  async #open(): Promise<void> {
    let isCurrent = true;
    this.behind = await this.#openInner({
      onMessage: (message) => {
        if (!isCurrent || this.#handshake.takes(message)) return;
        for (const part of Array.isArray(message) ? message : [message]) this.#settled(part);
        this.#listener.onMessage(message);
      },
      onStray: (text) => {
        if (isCurrent) this.#listener.onStray(text);
      },
      onEnd: (end) => {
        if (!isCurrent) return;
        this.#handshake.end();
        this.#end(end);
      },
      onUnanswered: (id, end) => {
        if (!isCurrent || this.#handshake.takesUnanswered(id)) return;
        this.#inFlight.delete(id);
        this.#listener.onUnanswered(id, end);
      },
    });
    this.#retire = () => {
      isCurrent = false;
    };
  }

  /** Nothing that the server says from now on is passed on. */
  #retire: () => void = () => undefined;

  #settled(message: unknown): void {
    if (typeof message !== 'object' || message === null || 'method' in message) return;
    const id = requestIdOf(message as Message);
    if (id !== undefined) this.#inFlight.delete(id);
  }

  async #renew(onLost: (ids: readonly RequestId[]) => void): Promise<void> {
    if (this.#isOver) return;
    this.#retire();
    const lost = [...this.#inFlight];
    this.#inFlight.clear();
    onLost(lost);
    await super[Symbol.asyncDispose]();
    if (this.#isOver) return;
    await this.#open();
    if (this.#greeting && this.behind) await this.#handshake.with(this.behind, this.#greeting);
  }

  #end(end: WireEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onEnd(end);
  }
}

function endOf(error: unknown): WireEnd {
  if (error instanceof WireError) return { ...error.end, what: `${error.end.what} after a restart on purpose` };
  const reason = error instanceof Error ? error.message : String(error);
  return { code: 'MCP_SERVER_UNREACHABLE', what: `cannot be reached after a restart on purpose: ${reason}` };
}
