/** Why there is no response. */
export type HttpFailureKind = 'unreachable' | 'broken-off' | 'too-large' | 'unreadable';

/** A request that ended without a complete response. */
export class HttpFailure extends Error {
  readonly kind: HttpFailureKind;
  /** False only when it is certain that no byte of the request was sent, so sending it again repeats nothing. */
  readonly wasSent: boolean;

  constructor(kind: HttpFailureKind, message: string, wasSent: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'HttpFailure';
    this.kind = kind;
    this.wasSent = wasSent;
  }
}

/** The message of a socket error with its code; a host with several addresses gives one error for each. */
export function socketErrorText(error: unknown): string {
  if (error instanceof AggregateError) return socketErrorText(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}
