import { isRecord } from '../../../shared/json.ts';
import type { RequestId, Wire, WireEnd, WireListener } from '../wire/wire.ts';
import { WireError } from '../wire/wire.ts';
import type { Message } from './frame-sink.ts';
import type { McpReplay, ReplayedAnswer } from './mcp-replay.ts';
import { isModernRequest, messageOf, requestIdOf } from './mcp-reply.ts';
import { WaitingReplies } from './waiting-replies.ts';

const greetingId = 'assay-replay';

/** A server that is not there: a recording answers, and the real one is started where the scenario lets it. */
export class ReplayWire implements Wire {
  readonly #replay: McpReplay;
  readonly #listener: WireListener;
  readonly #openReal: (listener: WireListener) => Promise<Wire>;
  readonly #waiting = new WaitingReplies();
  #greeting: Message | undefined;
  #onGreeted: (answer: unknown) => void = () => undefined;
  /** Started, and then ready to answer. */
  #opening: Promise<Wire> | undefined;
  #real: Promise<Wire> | undefined;
  #opened: Wire | undefined;

  constructor(replay: McpReplay, listener: WireListener, openReal: (listener: WireListener) => Promise<Wire>) {
    this.#replay = replay;
    this.#listener = listener;
    this.#openReal = openReal;
  }

  send(message: Message, headers?: Readonly<Record<string, string>>): undefined {
    const { method, params } = message;
    const id = requestIdOf(message);
    if (method === 'initialize') this.#greeting = message;
    if (id === undefined || typeof method !== 'string') {
      // The real server has its own greeting.
      if (method !== 'notifications/initialized') void this.#opened?.send(message, headers);
      return undefined;
    }
    const answer = this.#replay.answer(method, params);
    if (answer) this.#waiting.add(id, 0, () => this.#deliver(id, answer, isModernRequest(params)));
    else void this.#leaveToReal(id, message, headers);
    return undefined;
  }

  cancel(requestId: RequestId): boolean {
    return this.#waiting.cancel(requestId) || !this.#opened || this.#opened.cancel(requestId);
  }

  useProtocolVersion(version: string): void {
    this.#opened?.useProtocolVersion(version);
  }

  get processTag(): string | undefined {
    return this.#opened?.processTag;
  }

  stderr(): string | undefined {
    return this.#opened?.stderr();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#waiting.clear();
    await (await this.#opening?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  #deliver(id: RequestId, { reply, notifications, isCall }: ReplayedAnswer, isModern: boolean): void {
    for (const notification of notifications) this.#listener.onMessage(notification);
    if (reply.kind === 'unanswered') this.#listener.onUnanswered(id, reply.end);
    else if (reply.kind !== 'silent')
      this.#listener.onMessage(messageOf(id, reply, isModern, isCall ? 'replay' : undefined));
  }

  async #leaveToReal(id: RequestId, message: Message, headers?: Readonly<Record<string, string>>): Promise<void> {
    try {
      this.#real ??= this.#open();
      await (await this.#real).send(message, headers);
    } catch (error) {
      this.#listener.onUnanswered(id, endOf(error));
    }
  }

  /** Begins a session with the real server as the client began it with the recording. */
  async #open(): Promise<Wire> {
    this.#opening = this.#openReal({
      onMessage: (message) => this.#receive(message),
      onStray: (text) => this.#listener.onStray(text),
      onEnd: (end) => {
        this.#onGreeted(undefined);
        this.#listener.onEnd(end);
      },
      onUnanswered: (id, end) => {
        if (id === greetingId) this.#onGreeted(undefined);
        else this.#listener.onUnanswered(id, end);
      },
    });
    const wire = await this.#opening;
    this.#opened = wire;
    const greeting = this.#greeting;
    if (!greeting) return wire;
    const greeted = new Promise((resolve) => {
      this.#onGreeted = resolve;
    });
    void wire.send({ ...greeting, id: greetingId });
    const answer = await greeted;
    const result = isRecord(answer) && isRecord(answer.result) ? answer.result : undefined;
    if (!result) throw new WireError({ code: 'MCP_SERVER_NOT_STARTED', what: 'did not answer the handshake' });
    const difference = this.#replay.differenceFrom(result.serverInfo);
    if (difference) throw new WireError(difference);
    wire.useProtocolVersion(String(result.protocolVersion));
    await wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return wire;
  }

  #receive(message: unknown): void {
    if (isRecord(message) && message.id === greetingId && message.method === undefined) this.#onGreeted(message);
    else this.#listener.onMessage(message);
  }
}

function endOf(error: unknown): WireEnd {
  if (error instanceof WireError) return error.end;
  return {
    code: 'MCP_SERVER_UNREACHABLE',
    what: `cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
  };
}
