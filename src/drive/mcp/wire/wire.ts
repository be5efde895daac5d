import type { ErrorCode } from '../../../domain/errors.ts';

/** What a request and its answer have in common. */
export type RequestId = string | number;

/** Why a wire can carry nothing more. */
export interface WireEnd {
  readonly code: ErrorCode;
  /** What the server did, as the rest of a sentence that begins with its name. */
  readonly what: string;
  /** The server only forgot whom it talks to: a new handshake helps. */
  readonly isForgotten?: boolean;
}

/** What keeps a wire from being opened. */
export class WireError extends Error {
  readonly end: WireEnd;

  constructor(end: WireEnd) {
    super(end.what);
    this.name = 'WireError';
    this.end = end;
  }
}

/** What is told while a wire is open. */
export interface WireListener {
  onMessage(message: unknown): void;
  /** Something came that is no message; it was left out. */
  onStray(text: string): void;
  /** Told once; nothing comes afterwards. Not told when the wire is disposed of. */
  onEnd(end: WireEnd): void;
  /** The answer to this request will not come any more, though others may. */
  onUnanswered(requestId: RequestId, end: WireEnd): void;
}

/** What carries messages to one MCP server and back; owns its process or connection. */
export interface Wire extends AsyncDisposable {
  /** Resolves when the server has it or cannot have it; undefined where that is not known. Never rejects. */
  send(message: Readonly<Record<string, unknown>>): Promise<void> | undefined;
  /** Told when the handshake is over. */
  useProtocolVersion(version: string): void;
  /** Head and tail of what the server printed to stderr; undefined where it is not ours to see. */
  stderr(): string | undefined;
}

/** No message of a server may be longer. */
export const longestMessageBytes = 16 * 1024 * 1024;

/** What comes between messages and is none is overlooked so many times. */
export const mostStrays = 10_000;
