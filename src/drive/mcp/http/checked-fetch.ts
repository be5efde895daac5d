import { isRecord } from '../../../shared/json.ts';
import { WireError } from '../wire.ts';
import type { HttpAddress } from './http-address.ts';
import { withLimitedBody } from './limited-body.ts';
import { beginningOf, isAnswerTo, refusalOf, silenceOf } from './response-fault.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

interface Checks {
  readonly redact: HttpAddress['redact'];
  /** Whether the response to a request must carry its answer. */
  readonly hasAnswers: boolean;
  /** Told when a message is longer than allowed; its response breaks off. */
  onTooLong(): void;
  /** Told of every failure, because an event stream does not pass them on as they are. */
  onFailure(error: WireError): void;
}

/** A `fetch` that holds no more than one message, and says in our words what is wrong with a response. */
export function checkedFetch(checks: Checks): Fetch {
  return async (url, init = {}) => {
    try {
      return await exchange(url, init, checks);
    } catch (error) {
      if (error instanceof WireError) checks.onFailure(error);
      throw error;
    }
  };
}

async function exchange(url: string | URL, init: RequestInit, checks: Checks): Promise<Response> {
  const { signal } = init;
  const response = await fetch(url, init).catch((error: unknown) => {
    throw signal?.aborted ? error : new WireError(silenceOf(error, checks.redact));
  });
  if (response.status >= 400) return failed(response, init, checks);
  const isRedirect = response.status >= 300;
  if (!isRedirect && checks.hasAnswers) await assertCarriesAnswer(response, init, checks);
  return withLimitedBody(response, checks.onTooLong);
}

/** That there is no event stream to listen on is a way to say that none is needed. */
async function failed(response: Response, init: RequestInit, { redact, hasAnswers }: Checks): Promise<Response> {
  const { status, statusText } = response;
  const text = await beginningOf(response);
  if (hasAnswers && init.method !== 'POST') return new Response(text, { status, statusText });
  if (hasAnswers && isAnswerTo(requestIdOf(init), text)) {
    return new Response(text, { status: 200, headers: { 'content-type': 'application/json' } });
  }
  const hadSession = new Headers(init.headers).has('mcp-session-id');
  throw new WireError(refusalOf(response, text, hadSession, redact));
}

async function assertCarriesAnswer(response: Response, init: RequestInit, { redact }: Checks): Promise<void> {
  const type = response.headers.get('content-type') ?? 'nothing';
  const isReadable = response.status !== 202 && /^(application\/json|text\/event-stream)\b/i.test(type);
  if (isReadable || init.method !== 'POST' || requestIdOf(init) === undefined) return;
  const text = redact(await beginningOf(response));
  const what = `answered HTTP ${response.status} with ${type} instead of a message: ${text.trim().slice(0, 200)}`;
  throw new WireError({ code: 'MCP_SERVER_UNREACHABLE', what: what.replace(/:? *$/, '') });
}

/** Undefined for notifications and for answers to the server. */
function requestIdOf({ body }: RequestInit): unknown {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
  return isRecord(message) && 'method' in message ? message.id : undefined;
}
