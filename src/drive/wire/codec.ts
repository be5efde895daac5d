import type { Loss } from '../../domain/loss.ts';
import type { ModelApi } from '../../domain/trace-schema.ts';
import type { Usage } from '../../domain/usage.ts';

/** An object of JSON, nothing of which is certain. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A call of a tool by a model. */
export interface WireCall {
  readonly callId: string;
  readonly tool: string;
  /** Text where the API writes arguments as text, which need not be JSON; a value otherwise. */
  readonly arguments: unknown;
  /** The MCP server of the tool, where the provider calls it. */
  readonly server?: string | undefined;
}

/** The result of a call. */
export interface WireResult {
  readonly callId: string;
  readonly tool?: string | undefined;
  readonly content: string;
  readonly isError?: true | undefined;
}

/** A file that is written into a request. */
export interface WireFile {
  readonly name: string;
  readonly mediaType: string;
  base64(): string;
}

/** One piece of a message. */
export type WirePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'call'; readonly call: WireCall }
  | { readonly kind: 'result'; readonly result: WireResult }
  | { readonly kind: 'file'; readonly file: WireFile }
  /** A block in the form of the API, such as an image: written as it is. */
  | { readonly kind: 'block'; readonly block: JsonObject };

export interface WireMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly parts: readonly WirePart[];
  /** Of the author, where the API has one. */
  readonly name?: string | undefined;
}

/** A tool that is offered to a model. */
export interface WireTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
  /** True where it takes text instead of JSON. */
  readonly isFreeform?: boolean | undefined;
  /** The group that it came in, which a call has to name beside it. */
  readonly namespace?: string | undefined;
  /** Its definition in the form of the API, which is then written as it is. */
  readonly written?: JsonObject | undefined;
}

/** A request for a reply, whatever API it is written in. */
export interface WireRequest {
  readonly model: string;
  /** The system prompt, with the instructions among the messages. */
  readonly system: string;
  /** Other requests have the same system prompt: APIs whose caches need a mark get one. */
  readonly repeatsSystem?: boolean | undefined;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly WireTool[];
  /** The one tool that must be called. */
  readonly demandedTool?: string | undefined;
  /** The reply must be JSON of this schema; without a schema, any JSON. */
  readonly output?: { readonly name: string; readonly schema?: unknown; readonly isStrict?: boolean } | undefined;
  readonly temperature?: number | undefined;
  readonly seed?: number | undefined;
  /** Undefined where the request sets no limit. */
  readonly maxOutputTokens?: number | undefined;
  readonly isStreaming: boolean;
}

/** A request as it arrived. */
export interface ReceivedRequest extends WireRequest {
  /** Messages as they were written; with the system prompt they identify a request that is sent again. */
  readonly writtenMessages: readonly unknown[];
  /** Replies that are written at once, each as long as the limit allows. */
  readonly replyCount: number;
  /** The provider refuses a smaller limit than this, even with as few tokens for thinking as it allows. */
  readonly leastOutputTokens: number;
  /** The provider adds earlier messages that it keeps itself. */
  readonly continuesStored: boolean;
  readonly unplaced: readonly Loss[];
}

/** Why a model stopped. `pause`: it means to go on when it is sent its own words. */
export type Finish = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'pause' | 'other';

/** A reply, whatever API it came in. */
export interface WireReply {
  readonly id: string | undefined;
  /** As the provider names it. */
  readonly model: string | undefined;
  /** In the order in which they were written. */
  readonly parts: readonly WirePart[];
  /** Undefined where the reply does not say how it ended. */
  readonly finish: Finish | undefined;
  /** The same in the provider's word. */
  readonly stopReason: string | undefined;
  readonly usage: Usage | undefined;
  /** An error in place of a reply, or in the middle of one. */
  readonly error: string | undefined;
  readonly unplaced: readonly Loss[];
}

/** Reads a reply from the events of its stream. */
export interface ReplyStream {
  /** Takes the data of an event; returns whether it added text to the answer. */
  add(data: string): boolean;
  /** Takes an event that has been parsed. */
  addEvent(event: JsonObject): boolean;
  /** An event that could not be read, or an error that the provider reported; undefined when all is well. */
  readonly problem: string | undefined;
  /** Whether the provider marked the end of its reply. */
  readonly isEnded: boolean;
  /** The reply as far as it arrived; undefined where nothing of one did. */
  reply(): WireReply | undefined;
}

/** Facts of a written reply beside its content. */
export interface WriteOptions {
  readonly createdAtSecs: number;
  /** Into how many pieces a stream cuts the text and the arguments of each call. */
  readonly pieceCount: number;
  readonly request: ReceivedRequest;
  readonly body: JsonObject;
}

/** One API of model providers, in both directions. */
export interface Codec {
  readonly name: ModelApi | 'bedrock-converse';
  /** Whether a POST to this path is a request for a reply. */
  isCall(pathname: string): boolean;
  readRequest(body: JsonObject, pathname: string): ReceivedRequest;
  writeRequest(request: WireRequest): JsonObject;
  /** The same request for another model. */
  withModel(
    body: JsonObject,
    pathname: string,
    model: string,
  ): { readonly body: JsonObject; readonly pathname: string };
  /** The same request with a limit for its reply. */
  withMaxOutputTokens(body: JsonObject, maxOutputTokens: number): JsonObject;
  /** Undefined for a document that is not a reply of this API. */
  readReply(document: unknown): WireReply | undefined;
  openStream(): ReplyStream;
  writeReply(reply: WireReply, options: WriteOptions): JsonObject;
  /** The events of a streamed reply, ready to be sent. */
  writeStream(reply: WireReply, options: WriteOptions): Iterable<string>;
  /** Found in the first piece of a stream that holds a part of the answer. */
  readonly firstToken: RegExp;
  /** Whether an event of a stream may hold more than a part of the answer; most do not, and need not be parsed. */
  isFact(eventData: string): boolean;
}

/** An API whose streams are server-sent events, so they can be read and ended while they pass. */
export interface EventCodec extends Codec {
  readonly name: ModelApi;
  /** Words, thoughts and arguments that an event adds to a reply. */
  writtenIn(event: JsonObject): string;
  /** The event that ends a stream with an error after which clients do not try again. */
  streamError(message: string): string;
}
