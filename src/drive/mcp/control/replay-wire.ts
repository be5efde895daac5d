import { isModernRequest } from '../protocol-versions.ts';
import { endOfError, type RequestId, type Wire, WireError, type WireListener } from '../wire/wire.ts';
import { listenerAround, WireAround } from '../wire/wire-around.ts';
import type { McpReplay, ReplayedAnswer } from './mcp-replay.ts';
import type { Message } from './mcp-reply.ts';
import { messageOf, requestIdOf } from './mcp-reply.ts';
import { OwnHandshake } from './own-handshake.ts';
import { WaitingReplies } from './waiting-replies.ts';

/** A server that is not there: a recording answers, and the real one is started where the scenario lets it. */
export class ReplayWire extends WireAround {
  readonly #replay: McpReplay;
  readonly #listener: WireListener;
  readonly #openReal: (listener: WireListener) => Promise<Wire>;
  readonly #waiting = new WaitingReplies();
  readonly #handshake = new OwnHandshake();
  #greeting: Message | undefined;
  /** Started, and then ready to answer. */
  #opening: Promise<Wire> | undefined;
  #real: Promise<Wire> | undefined;

  constructor(replay: McpReplay, listener: WireListener, openReal: (listener: WireListener) => Promise<Wire>) {
    super();
    this.#replay = replay;
    this.#listener = listener;
    this.#openReal = openReal;
  }

  override send(message: Message, headers?: Readonly<Record<string, string>>): undefined {
    const { method, params } = message;
    const id = requestIdOf(message);
    if (method === 'initialize') this.#greeting = message;
    if (id === undefined || typeof method !== 'string') {
      // The real server has its own greeting.
      if (method !== 'notifications/initialized') void super.send(message, headers);
      return undefined;
    }
    const answer = this.#replay.answer(method, params);
    if (answer) this.#waiting.add(id, 0, () => this.#deliver(id, answer, isModernRequest(params)));
    else void this.#leaveToReal(id, message, headers);
    return undefined;
  }

  override cancel(requestId: RequestId): boolean {
    return this.#waiting.cancel(requestId) || super.cancel(requestId);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#waiting.clear();
    await (await this.#opening?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  #deliver(id: RequestId, { reply, notifications, isCall }: ReplayedAnswer, isModern: boolean): void {
    for (const notification of notifications) this.#listener.onMessage(notification);
    if (reply.kind === 'unanswered') this.#listener.onUnanswered(id, reply.end);
    else if (reply.kind === 'result' || reply.kind === 'error')
      this.#listener.onMessage(messageOf(id, reply, isModern, isCall ? 'replay' : undefined));
  }

  async #leaveToReal(id: RequestId, message: Message, headers?: Readonly<Record<string, string>>): Promise<void> {
    try {
      this.#real ??= this.#open();
      await (await this.#real).send(message, headers);
    } catch (error) {
      this.#listener.onUnanswered(id, endOfError(error));
    }
  }

  /** Begins a session with the real server as the client began it with the recording. */
  async #open(): Promise<Wire> {
    const heard = listenerAround(this.#listener, {
      onMessage: (message) => {
        if (!this.#handshake.takes(message)) this.#listener.onMessage(message);
      },
      onEnd: (end) => {
        this.#handshake.end();
        this.#listener.onEnd(end);
      },
      onUnanswered: (id, end) => {
        if (!this.#handshake.takesUnanswered(id)) this.#listener.onUnanswered(id, end);
      },
    });
    this.#opening = this.#openReal(heard);
    const wire = await this.#opening;
    this.behind = wire;
    if (!this.#greeting) return wire;
    await this.#handshake.with(wire, this.#greeting, ({ serverInfo }) => {
      const difference = this.#replay.differenceFrom(serverInfo);
      if (difference) throw new WireError(difference);
    });
    return wire;
  }
}
