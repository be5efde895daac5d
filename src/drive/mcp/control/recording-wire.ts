import type { Wire, WireListener } from '../wire/wire.ts';
import { listenerAround, WireAround } from '../wire/wire-around.ts';
import type { FrameSink, Message } from './mcp-reply.ts';

/** A wire to the real server whose messages are recorded. */
export class RecordingWire extends WireAround {
  readonly #sink: FrameSink;

  private constructor(sink: FrameSink) {
    super();
    this.#sink = sink;
  }

  static async open(
    sink: FrameSink,
    listener: WireListener,
    openInner: (listener: WireListener) => Promise<Wire>,
  ): Promise<Wire> {
    const wire = new RecordingWire(sink);
    const recorded = listenerAround(listener, {
      onMessage: (message) => {
        for (const part of Array.isArray(message) ? message : [message]) sink.received(part);
        listener.onMessage(message);
      },
      onEnd: (end) => {
        sink.ended(end);
        listener.onEnd(end);
      },
      onUnanswered: (id, end) => {
        sink.unanswered(id, end);
        listener.onUnanswered(id, end);
      },
    });
    wire.behind = await openInner(recorded);
    return wire;
  }

  override send(message: Message, headers?: Readonly<Record<string, string>>): Promise<void> | undefined {
    this.#sink.sent(message);
    return super.send(message, headers);
  }
}
