import { idAtEdge } from './frame-relay.ts';
import type { Direction } from './log-record.ts';
import type { MessageLog } from './message-log.ts';
import type { Wording } from './wording.ts';

/** What passes between an agent and a server: written down as the server sees it, shown to the agent as it should be. */
export class Exchange {
  readonly #log: MessageLog;
  readonly #wording: Wording | undefined;
  readonly #answerAgent: (frame: Buffer) => void;

  constructor(log: MessageLog, wording: Wording | undefined, answerAgent: (frame: Buffer) => void) {
    this.#log = log;
    this.#wording = wording;
    this.#answerAgent = answerAgent;
  }

  /** Gives what the server gets instead of the line of the agent; null where it gets nothing. */
  toServer(frame: Buffer): Buffer | null | undefined {
    const worded = this.#wording?.toServer(frame);
    for (const { request, answer } of worded?.refused ?? []) this.#refuse(request, answer);
    if (worded?.frame === null) return null;
    this.#keep('to-server', worded?.frame ?? frame);
    return worded?.frame;
  }

  /** Gives what the agent gets instead of the line of the server. */
  fromServer(frame: Buffer): Buffer | undefined {
    this.#keep('from-server', frame);
    return this.#wording?.fromServer(frame);
  }

  oversized(direction: Direction, bytes: number, edges: string): void {
    this.#log.oversized(direction, bytes, idAtEdge(edges));
  }

  #keep(direction: Direction, frame: Buffer): void {
    if (frame.length > 0) this.#log.message(direction, frame);
  }

  #refuse(request: object, answer: object): void {
    const bytes = Buffer.from(JSON.stringify(answer));
    this.#log.message('to-server', Buffer.from(JSON.stringify(request)), true);
    this.#log.message('from-server', bytes, true);
    this.#answerAgent(bytes);
  }
}
