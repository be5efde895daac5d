import { setTimeout as pause } from 'node:timers/promises';
import { codeIn, codeRequest } from './authorization-code.ts';
import { bearerChallenge } from './challenge.ts';
import { type AuthorizationServer, type Discovery, discover } from './discovery.ts';
import { authorizationFault } from './fault.ts';
import type { KeptClient, KeptLogin, KeptLogins } from './kept-login.ts';
import { OAuthHttp } from './oauth-http.ts';
import { configuredClient, type OAuthSettings } from './oauth-settings.ts';
import { listenForRedirect } from './redirect-listener.ts';
import { SecretList } from './secret-list.ts';
import { type OAuthClient, requestTokens, TokenRefused } from './tokens.ts';

interface LoginOptions {
  readonly url: URL;
  readonly settings: OAuthSettings | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Requested beside those that the server names. */
  readonly scopes: readonly string[];
  /** Undefined where nothing is to be kept. */
  readonly logins: KeptLogins | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Shows the user the page where he agrees. */
  show(page: URL): void;
  /** The address that the browser ended at, where the user pastes it because the browser runs elsewhere. */
  pasted(signal: AbortSignal): Promise<string>;
}

/** A login that succeeded. */
export interface Login extends KeptLogin {
  readonly issuer: string;
  readonly resource: string;
}

const requestTimeoutMs = 30_000;

/** Logs a user in at the authorization server of an MCP server, and keeps the tokens in the keyring. */
export async function logIn(options: LoginOptions): Promise<Login> {
  const { url, settings, env, logins } = options;
  const secrets = new SecretList();
  using http = new OAuthHttp({ env, timeoutMs: requestTimeoutMs, redact: secrets.redact, mcpServer: url });
  const { discovery, scopes: named } = await findAuthorization(options, http);
  const { issuer } = discovery.server;
  // Scopes are added to those of the login that is replaced, so nothing that it allowed is lost.
  const before = options.scopes.length > 0 ? await logins?.login(issuer, discovery.resource) : undefined;
  const scopes = before?.scopes ? [...new Set([...before.scopes, ...(named ?? [])])] : named;
  const kept = await logins?.client(issuer);
  await using listener = await listenForRedirect(kept ? Number(new URL(kept.redirectUri).port) : 0);
  const { redirectUri } = listener;
  const configured = configuredClient(settings, env);
  if (configured) assertUsable(configured, discovery.server);
  const client = configured ?? (await registeredClient(kept, redirectUri, discovery, options, http));
  const request = codeRequest(discovery, { clientId: client.clientId, redirectUri, scopes });
  options.show(request.url);
  const code = codeIn(await answerOf(listener.answer, redirectUri, options), request);
  const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: request.verifier };
  secrets.add(code, request.verifier, client.clientSecret);
  const fields = { ...grant, resource: discovery.resource };
  const tokens = await requestTokens(discovery.server, client, fields, http, options.signal).catch(explained(issuer));
  const login: KeptLogin = {
    clientId: client.clientId,
    // A secret of the environment stays there.
    ...(!configured && client.clientSecret !== undefined && { clientSecret: client.clientSecret }),
    ...tokens,
    scopes: [...(tokens.scopes ?? scopes ?? [])],
  };
  await logins?.keepLogin(issuer, discovery.resource, login);
  return { ...login, issuer, resource: discovery.resource };
}

/** Sends a request without a token, so the server says what it wants. */
export async function findAuthorization(
  { url, settings, scopes: added, signal }: Pick<LoginOptions, 'url' | 'settings' | 'scopes' | 'signal'>,
  http: OAuthHttp,
) {
  const { headers } = await http.json(url, { jsonrpc: '2.0', id: 1, method: 'ping' }, signal);
  const challenge = bearerChallenge(headers['www-authenticate'] ?? null);
  const discovery = await discover({ url, challenge, issuer: settings?.issuer }, http, signal);
  if (!discovery) throw authorizationFault('it names no authorization server, so there is nothing to log in to');
  const wanted = settings?.scopes ?? challenge?.scopes ?? discovery.scopes;
  const offline = discovery.server.scopes?.includes('offline_access') ? ['offline_access'] : [];
  const all = [...new Set([...(wanted ?? []), ...added, ...offline])];
  return { discovery, scopes: wanted === undefined && added.length === 0 ? undefined : all };
}

/** A client of an earlier login serves again if its address is free; the keyring has none of other issuers. */
async function registeredClient(
  kept: KeptClient | undefined,
  redirectUri: string,
  { server }: Discovery,
  { logins, signal }: LoginOptions,
  http: OAuthHttp,
): Promise<OAuthClient> {
  if (kept?.redirectUri === redirectUri) return kept;
  const client = await registerClient(server, redirectUri, http, signal);
  await logins?.keepClient(server.issuer, client);
  return client;
}

/** The first answer of the browser or of the user. */
async function answerOf(
  redirected: Promise<URLSearchParams>,
  redirectUri: string,
  { pasted, timeoutMs, signal }: LoginOptions,
): Promise<URLSearchParams> {
  const over = new AbortController();
  const ending = AbortSignal.any([signal, over.signal]);
  const late = pause(timeoutMs, undefined, { signal: ending }).then(() => {
    throw authorizationFault(`there was no answer within ${timeoutMs / 1_000} s`, 'MCP_LOGIN_REQUIRED');
  });
  const typed = pasted(ending).then((text) => answerIn(text, redirectUri));
  try {
    return await Promise.race([redirected, typed, late]);
  } finally {
    over.abort();
    for (const waiting of [typed, late]) waiting.catch(() => undefined);
  }
}

function answerIn(text: string, redirectUri: string): URLSearchParams {
  const address = text.trim();
  if (address.startsWith(`${redirectUri}?`)) return new URL(address).searchParams;
  throw authorizationFault(`the pasted text is not the address that begins with ${redirectUri}`, 'MCP_LOGIN_REQUIRED');
}

function explained(issuer: string) {
  return (error: unknown): never => {
    if (!(error instanceof TokenRefused)) throw error;
    throw authorizationFault(`${issuer} refused the code of the login: ${error.message}`);
  };
}

/** Checks that a client of the settings can be used: an https address is a metadata document. */
function assertUsable({ clientId }: OAuthClient, { issuer, takesMetadataDocuments }: AuthorizationServer): void {
  const isDocument = clientId.startsWith('https://');
  if (isDocument && new URL(clientId).pathname === '/')
    throw authorizationFault(`the metadata document ${clientId} has no path`, 'MCP_LOGIN_REQUIRED');
  if (isDocument && !takesMetadataDocuments)
    throw authorizationFault(`${issuer} does not take metadata documents such as ${clientId} as clients`);
}

/** Registers this program with an authorization server (RFC 7591). */
async function registerClient(
  { issuer, registrationEndpoint, takesMetadataDocuments }: AuthorizationServer,
  redirectUri: string,
  http: OAuthHttp,
  signal: AbortSignal,
): Promise<KeptClient> {
  if (!registrationEndpoint)
    throw authorizationFault(
      takesMetadataDocuments
        ? `${issuer} knows clients by a metadata document: publish one with the redirect URI ${redirectUri}, and set \`oauth.clientId\` to its https address, or register a client there and set its id`
        : `${issuer} registers no clients by itself: register one there, and set \`oauth.clientId\``,
      'MCP_LOGIN_REQUIRED',
    );
  const wanted = {
    client_name: 'Assay',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  };
  const { status, body, summary } = await http.json(registrationEndpoint, wanted, signal);
  const { client_id: clientId, client_secret: clientSecret } = body;
  if (status < 200 || status > 299 || typeof clientId !== 'string')
    throw authorizationFault(`${issuer} did not register Assay as a client: ${summary}`);
  return { clientId, redirectUri, ...(typeof clientSecret === 'string' && { clientSecret }) };
}
