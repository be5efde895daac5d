import { type IncomingMessage, validateHeaderName, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import type { Route } from './proxies.ts';

/** Why there is no response. */
type HttpFailureKind = 'unreachable' | 'broken-off' | 'too-large' | 'unreadable';

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
  const { code, hostname } = error as NodeJS.ErrnoException & { readonly hostname?: string };
  if (code === 'ENOTFOUND') return `the host name ${hostname ?? ''} is unknown (${code})`;
  if (code === 'EPROTO' && /wrong version number/i.test(error.message))
    return `it does not answer with TLS, so its URL may begin with http: (${code})`;
  return code === undefined || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly signal: AbortSignal;
}

/**
 * Sends one request once. `receive` is called as soon as the head of the response is there, and must listen to the body
 * before it returns.
 */
export function exchange<Result>(
  { url, method, headers, body, signal }: WireRequest,
  route: Route,
  receive: (incoming: IncomingMessage) => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    let wasSent = false;
    let isAnswered = false;
    const outgoing = route.request({ ...route.optionsFor(url), method, headers: route.headersFor(url, headers) });
    outgoing.on('response', (incoming) => {
      isAnswered = true;
      receive(incoming).then(resolve, reject);
    });
    outgoing.on('socket', (socket) => {
      whenSending(socket, outgoing.reusedSocket, route.isSecure, () => {
        wasSent = true;
      });
    });
    outgoing.on('error', (error) => {
      if (!isAnswered) reject(new HttpFailure('unreachable', socketErrorText(error), wasSent, error));
    });
    // Handed over with the request, the signal would cost a quarter of all that sending takes.
    const giveUp = (): void => void outgoing.destroy(signal.reason);
    outgoing.on('close', () => signal.removeEventListener('abort', giveUp));
    signal.addEventListener('abort', giveUp, { once: true });
    outgoing.end(body);
  });
}

/** Node writes a request as soon as its connection is ready, which a kept one is unless it was closed meanwhile. */
function whenSending(socket: Socket, isReused: boolean, isSecure: boolean, onSending: () => void): void {
  if (isReused || (!isSecure && !socket.connecting)) {
    if (!socket.destroyed && socket.writable) onSending();
    return;
  }
  socket.once(isSecure ? 'secureConnect' : 'connect', onSending);
}

/** Whether the name and the value may stand in a request. */
export function canSendHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
