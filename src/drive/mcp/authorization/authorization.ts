import type { Clean } from '../../../shared/redaction/redaction.ts';

/** Headers that prove who sends a request; none before the server requires them. */
export type AuthorizationHeaders = Readonly<Record<string, string>>;

/** A request that a server refused because it lacks a token, or rights. */
export interface Refusal {
  readonly status: number;
  /** Value of `WWW-Authenticate`. */
  readonly challenge: string | null;
  /** The headers from `headers` that the refused request had. */
  readonly sent: AuthorizationHeaders;
  /** How often the same request was refused before. */
  readonly refusalsBefore: number;
}

/** Gets and renews the tokens for one MCP server, whatever carries the requests to it. */
export interface Authorization {
  /** Headers of the next request. Rejects with a WireError where no token can be had. */
  headers(signal: AbortSignal): Promise<AuthorizationHeaders>;
  /** Whether the refused request may be sent again with new headers. Rejects with a WireError where it cannot help. */
  answer(refusal: Refusal, signal: AbortSignal): Promise<boolean>;
  /** Takes all tokens and secrets that were used so far out of a text. */
  readonly redact: Clean;
}

/** How a transport sends one request. */
interface Sending<Reply> {
  readonly signal: AbortSignal;
  send(headers: AuthorizationHeaders): Promise<Reply>;
  refusalIn(reply: Reply): Pick<Refusal, 'status' | 'challenge'>;
  /** Called with a reply that is not read, because the request is sent again. */
  discard(reply: Reply): Promise<unknown>;
}

/** Sends a request again as long as it is refused and new headers may help. */
export async function sendAuthorized<Reply>(
  authorization: Authorization | undefined,
  { signal, send, refusalIn, discard }: Sending<Reply>,
): Promise<Reply> {
  if (!authorization) return send({});
  for (let refusalsBefore = 0; ; refusalsBefore++) {
    const sent = await authorization.headers(signal);
    const reply = await send(sent);
    const { status, challenge } = refusalIn(reply);
    if (status !== 401 && status !== 403) return reply;
    if (!(await authorization.answer({ status, challenge, sent, refusalsBefore }, signal))) return reply;
    await discard(reply);
  }
}
