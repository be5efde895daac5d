import type { IncomingMessage } from 'node:http';
import { type RawData, WebSocket } from 'ws';
import { AssayError } from '../../../domain/errors.ts';
import { retryAfterMs } from '../../../shared/http/retry-after.ts';
import { isWholeText } from '../../../shared/utf8.ts';
import { bodyLimitBytes } from '../../targets/call/http-target.ts';
import { type EndpointErrors, StatusFailure } from '../wire/endpoint-errors.ts';
import type { Headers } from '../wire/url-and-headers.ts';

interface Waiting {
  readonly signal: AbortSignal;
  readonly errors: EndpointErrors;
}

interface Opening extends Waiting {
  /** The agent sends a frame before it takes messages. */
  readonly hasGreeting: boolean;
}

interface Exchange extends Waiting {
  /** An agent that closes the connection after some frames has answered. */
  readonly endsWithClose: boolean;
}

type FrameListener = (text: string) => boolean;

/** A connection to an agent; its errors name the endpoint and hold no secrets. */
export class AgentSocket {
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    // Every wait has its own listener; between them an error shows as a closed connection.
    socket.on('error', () => undefined);
  }

  get isClosed(): boolean {
    return this.#socket.readyState !== WebSocket.OPEN;
  }

  static async open(url: URL, headers: Headers, opening: Opening): Promise<AgentSocket> {
    const socket = new WebSocket(url, { headers, maxPayload: bodyLimitBytes, followRedirects: false });
    const opened = new AgentSocket(socket);
    try {
      await opened.#until(opening, 'could not be reached', (done, fail) => {
        const onRefusal = (_: unknown, response: IncomingMessage) => fail(refusal(response, opening.errors));
        socket.on('unexpected-response', onRefusal);
        if (opening.hasGreeting) socket.once('message', () => done());
        else socket.once('open', () => done());
      });
      return opened;
    } catch (error) {
      socket.terminate();
      throw error;
    }
  }

  /** Sends a frame and reads frames until `isLast` returns true. */
  async exchange(frame: string, isLast: FrameListener, exchange: Exchange): Promise<void> {
    const socket = this.#socket;
    if (this.isClosed) throw closedEarly(exchange.errors, 1006, '');
    let frames = 0;
    let stopListening = (): void => undefined;
    try {
      await this.#until(exchange, 'broke off its answer', (done, fail) => {
        const onMessage = (data: RawData): void => {
          frames++;
          try {
            if (isLast(textOf(data, exchange.errors))) done();
          } catch (error) {
            fail(error);
          }
        };
        const onClose = (code: number, reason: Buffer): void => {
          if (exchange.endsWithClose && frames > 0 && code === 1000) done();
          else fail(closedEarly(exchange.errors, code, reason.toString('utf8')));
        };
        socket.on('message', onMessage).on('close', onClose);
        stopListening = () => void socket.off('message', onMessage).off('close', onClose);
        socket.send(frame);
      });
    } finally {
      stopListening();
    }
  }

  close(): void {
    // An agent that does not answer the closing handshake would keep the process alive.
    if (this.isClosed) this.#socket.terminate();
    else this.#socket.close(1000);
    setTimeout(() => this.#socket.terminate(), 1_000).unref();
  }

  /** Waits for what `listen` reports, for an error of the connection, or for the signal. */
  #until(
    { signal, errors }: Waiting,
    problem: string,
    listen: (done: () => void, fail: (error: unknown) => void) => void,
  ): Promise<void> {
    const socket = this.#socket;
    return new Promise<void>((resolve, reject) => {
      const onError = (error: Error) => settle(() => reject(errorOf(error, problem, errors)));
      const onAbort = () => settle(() => reject(stopped(signal, errors)));
      const settle = (end: () => void): void => {
        socket.off('error', onError);
        signal.removeEventListener('abort', onAbort);
        end();
      };
      socket.on('error', onError);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) return onAbort();
      listen(
        () => settle(resolve),
        (error) => settle(() => reject(error)),
      );
    });
  }
}

/** Frames of text are in UTF-8, or the connection is broken off; frames of bytes may be anything. */
function textOf(data: RawData, errors: EndpointErrors): string {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer);
  const text = bytes.toString('utf8');
  if (isWholeText(text, bytes)) return text;
  throw errors.create('TARGET_OUTPUT_NOT_JSON', 'answered with bytes that are not text in UTF-8.');
}

function errorOf(error: Error & { code?: string }, problem: string, errors: EndpointErrors): AssayError {
  if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
    return errors.create('TARGET_OUTPUT_TOO_LARGE', `sent a frame of more than ${bodyLimitBytes / 1e6} MB.`);
  }
  const code = problem === 'could not be reached' ? 'TARGET_UNREACHABLE' : 'TARGET_CRASHED';
  return errors.create(code, `${problem}: ${error.message || (error.code ?? 'no connection')}.`);
}

/** Nothing was sent yet, so the turn may be sent again. */
function refusal({ statusCode = 0, headers }: IncomingMessage, errors: EndpointErrors): AssayError {
  const cause = new StatusFailure(statusCode, { isRepeatable: true, retryAfterMs: retryAfterMs(headers, Date.now()) });
  const hint = 'Check the URL, the path and the credentials of the connector: the endpoint did not open a WebSocket.';
  return errors.create('TARGET_UNREACHABLE', `answered with HTTP ${statusCode}`, hint, cause);
}

function closedEarly(errors: EndpointErrors, code: number, reason: string): AssayError {
  const why = reason === '' ? `code ${code}` : `code ${code}: ${reason}`;
  const hint = "Look into the agent's log to see why it closed the connection.";
  return errors.create('TARGET_CRASHED', `closed the connection before its answer was complete (${why}).`, hint);
}

function stopped(signal: AbortSignal, errors: EndpointErrors): AssayError {
  if (signal.reason instanceof AssayError) return signal.reason;
  return errors.create('TARGET_TIMEOUT', 'did not answer before it was stopped.');
}
