import type { ErrorCode } from '../../../domain/errors.ts';
import type { ControlKind } from '../../../domain/tool-control/control-event.ts';

/** Shared by a request and its answer. */
export type RequestId = string | number;

/** Why a wire can carry nothing more. */
export interface WireEnd {
  readonly code: ErrorCode;
  /** The event, as the rest of a sentence that begins with the server's name. */
  readonly what: string;
  /** The server only forgot whom it talks to: a new handshake helps. */
  readonly isForgotten?: boolean;
  /** Assay broke it on purpose: the server is not at fault. */
  readonly isInjected?: boolean;
}

/** The reason why a wire could not be opened. */
export class WireError extends Error {
  readonly end: WireEnd;

  constructor(end: WireEnd) {
    super(end.what);
    this.name = 'WireError';
    this.end = end;
  }
}

/** Why a wire could not be opened, by what was thrown. */
export function endOfError(error: unknown): WireEnd {
  if (error instanceof WireError) return error.end;
  const reason = error instanceof Error ? error.message : String(error);
  return { code: 'MCP_SERVER_UNREACHABLE', what: `cannot be reached: ${reason}` };
}

/** Receives the messages and the end of an open wire. */
export interface WireListener {
  onMessage(message: unknown): void;
  /** Called with data that is not a message. */
  onStray(text: string): void;
  /** Called once, as the last call; not called when the wire is disposed of. */
  onEnd(end: WireEnd): void;
  /** The answer to this request will not come any more, though others may. */
  onUnanswered(requestId: RequestId, end: WireEnd): void;
  /** Assay keeps the answer to this request back on purpose. */
  onSilenced?(requestId: RequestId): void;
  /** Assay delays this request on purpose: a caller that gives up waited for Assay too. */
  onDelayed?(requestId: RequestId, by: ControlKind): void;
}

/** Carries messages to one MCP server and back; owns its process or connection. */
export interface Wire extends AsyncDisposable {
  /** Resolves when the server has it or cannot have it; undefined where that is not known. Never rejects. */
  send(
    message: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<void> | undefined;
  /** Reads the answer to this request no more; true where the server notices that without a message. */
  cancel(requestId: RequestId): boolean;
  /** Called after the handshake. */
  useProtocolVersion(version: string): void;
  /** Tag of the processes of the server; undefined where we did not start it. */
  readonly processTag: string | undefined;
  /** Head and tail of what the server printed to stderr; undefined where it is not ours to see. */
  stderr(): string | undefined;
}

/** No message of a server may be longer. */
export const longestMessageBytes = 16 * 1024 * 1024;

/** Why a wire ends whose server sent one that is longer. */
export const tooLong: WireEnd = {
  code: 'MCP_PROTOCOL_VIOLATED',
  what: `sent a message of more than ${longestMessageBytes} bytes`,
};

/** Most ignored lines that are not messages. */
export const mostStrays = 10_000;
