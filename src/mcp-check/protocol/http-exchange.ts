import type { Fetch } from '../../drive/mcp/wire/environment-fetch.ts';
import { isRecord, parseJson } from '../../shared/json.ts';

/** A server over HTTP, as a request that the session would never send reaches it. */
export interface HttpTarget {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Sends requests, through a proxy where one is wanted. */
  readonly fetch?: Fetch | undefined;
}

/** How one request was answered. */
export interface HttpOutcome {
  readonly status: number;
  readonly sessionId: string | undefined;
  /** Whether a result came back, as opposed to an error of HTTP, of the protocol or of a tool. */
  readonly isResult: boolean;
}

type HeaderFields = Readonly<Record<string, string>>;

const longestBytes = 262_144;

/** Sends one message; undefined where no answer came. */
export async function post(
  { url, headers, timeoutMs, signal, fetch: send = fetch }: HttpTarget,
  message: Readonly<Record<string, unknown>>,
  more: HeaderFields,
): Promise<HttpOutcome | undefined> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await send(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
        ...more,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return {
      status: response.status,
      sessionId: response.headers.get('mcp-session-id') ?? undefined,
      isResult: response.ok && isGranted((await answerIn(response))?.result),
    };
  } catch (error) {
    if (signal?.aborted) throw error;
    return undefined;
  }
}

/** Ends a session that was begun for the check; a server need not allow it. */
export async function endSession(target: HttpTarget, sessionId: string | undefined): Promise<void> {
  if (sessionId === undefined) return;
  const headers = { ...target.headers, 'mcp-session-id': sessionId };
  const signal = AbortSignal.timeout(target.timeoutMs);
  const send = target.fetch ?? fetch;
  const response = await send(target.url, { method: 'DELETE', headers, redirect: 'manual', signal }).catch(() => null);
  await response?.body?.cancel();
}

function isGranted(result: unknown): boolean {
  return isRecord(result) && result.isError !== true;
}

/** The answer in a body, which may be a stream that stays open after it. */
async function answerIn({ body }: Response): Promise<Readonly<Record<string, unknown>> | undefined> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const answer = [text, ...text.split(/\r?\n/).map((line) => line.replace(/^data: ?/, ''))]
      .map(parseJson)
      .find((value) => isRecord(value) && ('result' in value || 'error' in value));
    if (isRecord(answer)) return answer;
    if (text.length > longestBytes) return undefined;
  }
  return undefined;
}
