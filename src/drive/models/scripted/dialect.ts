import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../../wire/codec.ts';
import type { ModelMessage } from '../model.ts';
import type { Conversation, ScriptedReply } from './conversation.ts';

/** The part of a request that says what it is about. */
export interface RequestLine {
  readonly method: string;
  readonly pathname: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/** A request for a reply, and how to write the reply for its client. */
export interface Exchange {
  readonly conversation: Conversation;
  /** Text of the reply where no rule of the script answers; undefined refuses the request. */
  readonly usualReply?: string | undefined;
  readonly streamType: 'text/event-stream' | 'application/json';
  /** The whole reply as one JSON value. */
  whole(reply: ScriptedReply): unknown;
  /** The reply in the pieces in which the provider streams it, ready to be sent. */
  frames(reply: ScriptedReply): Iterable<string>;
}

/** The messages that led to an earlier response, and that response; undefined when it is not known. */
export type Recall = (replyId: string) => readonly ModelMessage[] | undefined;

/** The purpose of a request. Reading a body throws a `RefusedRequest` when the provider would refuse it. */
export type Task =
  | { readonly kind: 'converse'; open(body: JsonObject, recall: Recall): Exchange }
  | { readonly kind: 'count-tokens'; read(body: JsonObject): Conversation; render(tokens: number): unknown }
  | { readonly kind: 'list-models'; render(model: string): unknown };

/** How one provider's API is spoken. */
export interface Dialect {
  /** Its name in `when.path`. */
  readonly name: string;
  /** The environment variables that send clients to a server at the URL. */
  environment(url: string): Readonly<Record<string, string>>;
  /** Undefined when the request is none of this dialect. */
  taskOf(line: RequestLine): Task | undefined;
  renderError(status: number, message: string): unknown;
}

/** A request that a provider would not answer. */
export class RefusedRequest extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
