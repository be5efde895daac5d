import type { ControlKind } from '../../../domain/tool-control/control-event.ts';
import type { Direction } from './log-reader.ts';
import type { MessageLog } from './message-log.ts';
import type { Wording } from './wording.ts';

const id = String.raw`(-?\d+|"(?:[^"\\]|\\.){0,200}")`;
const idAtStart = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*${id}\s*,`);
const idAtEnd = new RegExp(String.raw`"id"\s*:\s*${id}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`);

/** The id of a message of which only both ends are known: programs write it first or last. */
export function idAtEdge(edges: string): string | number | null {
  const found = (idAtStart.exec(edges) ?? idAtEnd.exec(edges))?.[1];
  return found === undefined ? null : (JSON.parse(found) as string | number);
}

/** How the messages of both sides are passed on. */
export interface MessageExchange {
  /** Gives what the server gets instead of the line of the agent: null for nothing, undefined for the line itself. */
  toServer(frame: Buffer): Buffer | null | undefined;
  /** Gives what the agent gets instead of the line of the server, in the same way. */
  fromServer(frame: Buffer, answeredBy?: ControlKind): Buffer | null | undefined;
  /** An answer that the proxy makes for the server, as the agent gets it; null where it waits for none. */
  answerFor(answer: Readonly<Record<string, unknown>>): Buffer | null;
  /** A message that was too long to be parsed was passed on. */
  oversized(direction: Direction, bytes: number, edges: string): void;
}

/** Makes the exchange of a relay, which says how messages get to either side. */
export type MakeExchange = (sides: {
  readonly answerAgent: (frame: Buffer) => void;
  readonly askServer: (frame: Buffer) => void;
}) => MessageExchange;

/** The messages between an agent and a server: logged as the server sees them, passed to the agent in the chosen wording. */
export class Exchange implements MessageExchange {
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
    for (const { request, answer } of worded?.refused ?? []) this.refuse(request, answer);
    if (worded?.frame === null) return null;
    const sent = worded?.frame ?? frame;
    if (sent.length > 0) this.#log.message('to-server', sent);
    return worded?.frame;
  }

  /** Gives what the agent gets instead of the line of the server. */
  fromServer(frame: Buffer, answeredBy?: ControlKind): Buffer | undefined {
    if (frame.length > 0) this.#log.message('from-server', frame, false, answeredBy);
    return this.#wording?.fromServer(frame);
  }

  answerFor(answer: object): Buffer {
    return Buffer.from(JSON.stringify(answer));
  }

  oversized(direction: Direction, bytes: number, edges: string): void {
    this.#log.oversized(direction, bytes, idAtEdge(edges));
  }

  /** Answers a request in place of the server, which does not get it. */
  refuse(request: object, answer: object): void {
    const bytes = Buffer.from(JSON.stringify(answer));
    this.#log.message('to-server', Buffer.from(JSON.stringify(request)), true);
    this.#log.message('from-server', bytes, true);
    this.#answerAgent(bytes);
  }
}
