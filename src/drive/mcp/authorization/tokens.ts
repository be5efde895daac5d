import { isRecord, parseJson } from '../../../shared/json.ts';
import { scopesIn } from './challenge.ts';
import type { AuthorizationServer } from './discovery.ts';
import { authorizationFault } from './fault.ts';
import type { OAuthHttp, OAuthReply } from './oauth-http.ts';

/** The identity of this program at an authorization server. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** Granted scopes; undefined where the server did not name them, so they are those that were requested. */
  readonly scopes?: readonly string[] | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAtMs?: number | undefined;
}

/** An error of OAuth that a token endpoint answered with. */
export class TokenRefused extends Error {
  /** `invalid_grant`, `invalid_client` and so on. */
  readonly error: string;

  constructor(error: string, summary: string) {
    super(summary);
    this.name = 'TokenRefused';
    this.error = error;
  }
}

/** Requests tokens. Rejects with a TokenRefused, or with a WireError where the endpoint breaks the protocol. */
export async function requestTokens(
  server: Pick<AuthorizationServer, 'tokenEndpoint' | 'tokenAuthMethods'>,
  client: OAuthClient,
  grant: Readonly<Record<string, string | undefined>>,
  http: OAuthHttp,
  signal: AbortSignal,
): Promise<Tokens> {
  const { fields, headers } = clientProof(client, server.tokenAuthMethods);
  const reply = await http.form(server.tokenEndpoint, { ...grant, ...fields }, headers, signal);
  return tokensIn(reply, server.tokenEndpoint);
}

interface ClientProof {
  readonly fields: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** How a client proves who it is; without a secret it only says so. */
export function clientProof(
  { clientId, clientSecret }: OAuthClient,
  methods: readonly string[] | undefined,
): ClientProof {
  if (clientSecret === undefined) return { fields: { client_id: clientId }, headers: {} };
  const usesForm = methods?.includes('client_secret_post') === true && !methods.includes('client_secret_basic');
  if (usesForm) return { fields: { client_id: clientId, client_secret: clientSecret }, headers: {} };
  const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
  return { fields: {}, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** An endpoint that is overloaded, broken or elsewhere has decided nothing. */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && ![404, 405, 408, 429].includes(status);
}

function tokensIn({ status, body, summary }: OAuthReply, endpoint: URL): Tokens {
  const { error, access_token: accessToken, token_type: type, refresh_token: refreshToken } = body;
  if (typeof error === 'string' && isRefusal(status)) throw new TokenRefused(error, summary);
  const where = `${endpoint.origin}${endpoint.pathname}`;
  if (status !== 200) throw authorizationFault(`${where} answered ${summary}`);
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken))
    throw authorizationFault(`${where} answered without a usable \`access_token\``);
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer')
    throw authorizationFault(`${where} issued a token of the type ${JSON.stringify(type)}, not "Bearer"`);
  const seconds = Number(body.expires_in ?? Number.NaN);
  return {
    accessToken,
    ...(typeof refreshToken === 'string' && { refreshToken }),
    ...(typeof body.scope === 'string' && { scopes: scopesIn(body.scope) }),
    ...(Number.isFinite(seconds) && { expiresAtMs: Date.now() + seconds * 1_000 }),
  };
}

/** The claims of a token that is a JWT, unverified: only its server can verify them. Undefined for other tokens. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  const [, payload, signature, ...more] = token.split('.');
  if (payload === undefined || signature === undefined || more.length > 0) return undefined;
  const claims = parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
  return isRecord(claims) ? claims : undefined;
}
