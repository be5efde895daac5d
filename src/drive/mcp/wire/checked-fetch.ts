import { isRecord, parseJson } from '../../../shared/json.ts';
import type { Clean } from '../../../shared/redaction/redaction.ts';
import { printable } from '../../../shared/text.ts';
import { type Authorization, type AuthorizationHeaders, sendAuthorized } from '../authorization/authorization.ts';
import type { Fetch } from './environment-fetch.ts';
import type { HttpAddress } from './http-address.ts';
import { longestMessageBytes, type WireEnd, WireError } from './wire.ts';

/** Where one event of a stream ends. */
const eventEnds = [Buffer.from('\n\n'), Buffer.from('\r\n\r\n'), Buffer.from('\r\r')];
const longestEventEnd = 4;

/** A response whose body breaks off when one message in it is longer than allowed; `onTooLong` is called first. */
export function withLimitedBody(response: Response, onTooLong: () => void): Response {
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  const isPacked = response.headers.has('content-encoding');
  if (!response.body || (length <= longestMessageBytes && !isPacked)) return response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const count = isStream ? countEvent() : countAll();
  const limited = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (count(chunk) <= longestMessageBytes) return controller.enqueue(chunk);
        onTooLong();
        controller.error(new Error('a message is too long'));
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(limited, { status, statusText, headers });
}

/** The size of everything so far. */
function countAll(): (chunk: Uint8Array) => number {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    return bytes;
  };
}

/** The size of the event that is not complete yet. */
function countEvent(): (chunk: Uint8Array) => number {
  let bytes = 0;
  let tail: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const text = Buffer.concat([tail, chunk]);
    const ends = eventEnds.filter((mark) => text.includes(mark)).map((mark) => text.lastIndexOf(mark) + mark.length);
    bytes = ends.length > 0 ? text.length - Math.max(...ends) : bytes + chunk.length;
    tail = Buffer.from(text.subarray(-longestEventEnd + 1));
    return bytes;
  };
}

const longestExcerptBytes = 65_536;
const shownChars = 200;

/** The beginning of the body of a refused request. */
async function beginningOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of response.body ?? []) {
      parts.push(part);
      bytes += part.length;
      if (bytes > longestExcerptBytes) break;
    }
  } catch {
    // The part before the connection broke off is used.
  }
  return Buffer.concat(parts).toString('utf8', 0, longestExcerptBytes);
}

/** The reason why an HTTP response is not an answer of the protocol. */
function refusalOf(response: Response, text: string, hadSession: boolean, redact: Clean): WireEnd {
  const { status, statusText } = response;
  const says = printable(redact(text)).trim().slice(0, shownChars);
  const what = `answered HTTP ${[status, statusText].join(' ').trim()}${says === '' ? '' : `: ${says}`}`;
  if (status === 401 || status === 403) return { code: 'MCP_SERVER_REFUSED', what };
  const isForgotten = hadSession && (status === 404 || (status === 400 && /session/i.test(text)));
  if (isForgotten) return { code: 'MCP_SERVER_DIED', what: `no longer knows the session: it ${what}`, isForgotten };
  return { code: 'MCP_SERVER_UNREACHABLE', what };
}

/** Whether the text is an error of the protocol for this request: a status of failure does not go with a result. */
function isErrorFor(requestId: unknown, text: string, isIdOptional: boolean): boolean {
  if (requestId === undefined) return false;
  const message = parseJson(text);
  if (!isRecord(message) || message.jsonrpc !== '2.0' || !isRecord(message.error)) return false;
  const { id = null } = message;
  return id === requestId || (isIdOptional && id === null);
}

const brokenOff: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** As `fetch` has it: https://fetch.spec.whatwg.org/#port-blocking. */
const blockedPort = 'HTTP clients that follow the Fetch standard refuse its port, as browsers do; use another port';

/** Why there was no response at all. */
function silenceOf(error: unknown, redact: Clean): WireEnd {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (brokenOff.has(code)) return { code: 'MCP_SERVER_DIED', what: 'closed the connection without an answer' };
  const why = cause instanceof Error ? cause.message || code : String(cause);
  const reason = why === 'bad port' ? blockedPort : printable(redact(why || code));
  return { code: 'MCP_SERVER_UNREACHABLE', what: `cannot be reached: ${reason}` };
}

export interface Checks {
  readonly redact: HttpAddress['redact'];
  readonly fetch: Fetch;
  /** Gives the tokens that the server wants. */
  readonly authorization: Authorization | undefined;
  /** Whether the response to a request must carry its answer. */
  readonly hasAnswers: boolean;
  /** Whether an error that names no request is the answer to the one that it follows. */
  readonly takesErrorsWithoutId?: boolean;
  /** Called when a message is longer than allowed; its response breaks off. */
  onTooLong(): void;
}

/** A `fetch` that holds no more than one message, and says in our words what is wrong with a response. */
export function checkedFetch(checks: Checks): Fetch {
  return (url, init = {}) => exchange(url, init, checks);
}

async function exchange(url: string | URL, init: RequestInit, checks: Checks): Promise<Response> {
  const response = await sendAuthorized(checks.authorization, {
    signal: init.signal ?? new AbortController().signal,
    send: (headers) => sendOnce(url, init, headers, checks),
    refusalIn: ({ status, headers }) => ({ status, challenge: headers.get('www-authenticate') }),
    discard: async ({ body }) => body?.cancel(),
  });
  if (response.status >= 400) return failed(response, init, checks);
  const isRedirect = response.status >= 300;
  if (!isRedirect && checks.hasAnswers) await assertCarriesAnswer(response, init, checks);
  return withLimitedBody(response, checks.onTooLong);
}

async function sendOnce(
  url: string | URL,
  init: RequestInit,
  given: AuthorizationHeaders,
  { redact, fetch: send }: Checks,
): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(given)) headers.set(name, value);
  return send(url, { ...init, headers }).catch((error: unknown) => {
    throw init.signal?.aborted ? error : new WireError(silenceOf(error, redact));
  });
}

/** That there is no event stream to listen on is a way to say that none is needed. */
async function failed(response: Response, init: RequestInit, checks: Checks): Promise<Response> {
  const { redact, hasAnswers, takesErrorsWithoutId = false } = checks;
  const { status, statusText } = response;
  const text = await beginningOf(response);
  if (hasAnswers && init.method !== 'POST') return new Response(text, { status, statusText });
  const isRefused = status === 401 || status === 403;
  if (hasAnswers && isErrorFor(requestIdOf(init), text, takesErrorsWithoutId && !isRefused)) {
    return new Response(text, { status: 200, headers: { 'content-type': 'application/json' } });
  }
  const hadSession = new Headers(init.headers).has('mcp-session-id');
  throw new WireError(refusalOf(response, text, hadSession, redact));
}

/** Part of the reason why an answer with another content type than those of the protocol cannot be read. */
export const otherContentType = 'instead of a message of the protocol';

async function assertCarriesAnswer(response: Response, init: RequestInit, { redact }: Checks): Promise<void> {
  const type = response.headers.get('content-type') ?? 'nothing';
  const isReadable = response.status !== 202 && /^(application\/json|text\/event-stream)\b/i.test(type);
  if (isReadable || init.method !== 'POST' || requestIdOf(init) === undefined) return;
  const text = redact(await beginningOf(response));
  const instead = response.status === 202 || type === 'nothing' ? 'instead of a message' : otherContentType;
  const what = `answered HTTP ${response.status} with ${type} ${instead}: ${text.trim().slice(0, 200)}`;
  throw new WireError({ code: 'MCP_SERVER_UNREACHABLE', what: what.replace(/:? *$/, '') });
}

/** Undefined for notifications and for answers to the server. */
function requestIdOf({ body }: RequestInit): unknown {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
  return isRecord(message) && 'method' in message ? message.id : undefined;
}
