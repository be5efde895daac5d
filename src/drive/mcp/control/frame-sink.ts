import type { RequestId, WireEnd } from '../wire/wire.ts';

export type Message = Readonly<Record<string, unknown>>;

/** Sees the messages between a client and the real server. */
export interface FrameSink {
  sent(message: Message): void;
  received(message: unknown): void;
  unanswered(id: RequestId, end: WireEnd): void;
  ended(end: WireEnd): void;
}
