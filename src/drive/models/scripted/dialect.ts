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

/** Words of providers for a status; `otherwise` is used where there is none. */
type Words = Readonly<Record<number, string>>;

function wordFor(status: number, words: Words, refused: string, failed: string): string {
  return words[status] ?? (status < 500 ? refused : failed);
}

/** OpenAI's shape of an error. */
export function openaiError(status: number, message: string): unknown {
  const type = wordFor(status, { 429: 'requests' }, 'invalid_request_error', 'server_error');
  const code = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' }[status] ?? null;
  return { error: { message, type, param: null, code } };
}

const anthropicTypes: Words = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export function anthropicError(status: number, message: string): unknown {
  return {
    type: 'error',
    error: { type: wordFor(status, anthropicTypes, 'invalid_request_error', 'api_error'), message },
  };
}

const geminiStatuses: Words = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export function geminiError(status: number, message: string): unknown {
  const word = wordFor(status, geminiStatuses, 'INVALID_ARGUMENT', 'INTERNAL');
  return { error: { code: status, message, status: word } };
}
