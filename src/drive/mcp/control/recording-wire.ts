import type { RequestId, Wire, WireListener } from '../wire/wire.ts';
import { WireAround } from '../wire/wire-around.ts';
import type { FrameSink, Message } from './frame-sink.ts';

/** A wire to the real server whose messages are recorded. */
export class RecordingWire extends WireAround {
  readonly #inner: Wire;
  readonly #sink: FrameSink;

  private constructor(inner: Wire, sink: FrameSink) {
    super();
    this.#inner = inner;
    this.#sink = sink;
  }

  static async open(
    sink: FrameSink,
    listener: WireListener,
    openInner: (listener: WireListener) => Promise<Wire>,
  ): Promise<Wire> {
    const inner = await openInner({
      onMessage: (message) => {
        for (const part of Array.isArray(message) ? message : [message]) sink.received(part);
        listener.onMessage(message);
      },
      onStray: (text) => listener.onStray(text),
      onEnd: (end) => {
        sink.ended(end);
        listener.onEnd(end);
      },
      onUnanswered: (id, end) => {
        sink.unanswered(id, end);
        listener.onUnanswered(id, end);
      },
    });
    return new RecordingWire(inner, sink);
  }

  send(message: Message, headers?: Readonly<Record<string, string>>): Promise<void> | undefined {
    this.#sink.sent(message);
    return this.#inner.send(message, headers);
  }

  cancel(requestId: RequestId): boolean {
    return this.#inner.cancel(requestId);
  }

  protected get behind(): Wire | undefined {
    return this.#inner;
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#inner[Symbol.asyncDispose]();
  }
}
