import type { Discovery } from './discovery.ts';
import { authorizationFault } from './fault.ts';
import { KeptLogins } from './kept-login.ts';
import { openKeyring } from './keyring.ts';
import type { OAuthHttp } from './oauth-http.ts';
import type { OAuthSettings } from './oauth-settings.ts';
import { configuredClient, variableOf } from './oauth-settings.ts';
import type { SecretList } from './secret-list.ts';
import { type OAuthClient, requestTokens, TokenRefused, type Tokens } from './tokens.ts';

/** Tokens in use, with all that is needed to renew them. */
export interface HeldTokens extends Tokens {
  readonly discovery: Discovery;
  readonly client: OAuthClient;
  readonly requestedScopes: readonly string[] | undefined;
  /** Where they are kept, for those of a login. */
  readonly logins?: KeptLogins | undefined;
  /** Where the refresh token comes from, in messages. */
  readonly origin: string;
  /** Whether the authorization server issued them now; those of a login may be out of date. */
  readonly isNew: boolean;
}

/** Everything that requests for the tokens of one server need. */
export interface TokenContext {
  readonly settings: OAuthSettings | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly http: OAuthHttp;
  readonly secrets: SecretList;
  readonly signal: AbortSignal;
}

/** A token that is about to expire would expire on its way. */
const expiryMarginMs = 10_000;

export function isExpired({ expiresAtMs = Number.POSITIVE_INFINITY }: Tokens): boolean {
  return expiresAtMs - expiryMarginMs < Date.now();
}

/** A token of the client itself. */
export async function tokensOfClient(
  discovery: Discovery,
  scopes: readonly string[] | undefined,
  context: TokenContext,
): Promise<HeldTokens> {
  const client = requiredClient(context);
  const grant = { grant_type: 'client_credentials', scope: scopes?.join(' '), resource: discovery.resource };
  try {
    const tokens = await issued(discovery, client, grant, context);
    return { ...tokens, discovery, client, requestedScopes: scopes, origin: 'the client', isNew: true };
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    const why = `${discovery.server.issuer} refused the client "${client.clientId}": ${error.message}`;
    throw authorizationFault(why, 'MCP_SERVER_REFUSED');
  }
}

/** Tokens for the refresh token in an environment variable. */
export function tokensOfVariable(
  name: string,
  discovery: Discovery,
  scopes: readonly string[] | undefined,
  context: TokenContext,
): Promise<HeldTokens> {
  const refreshToken = variableOf(name, context.env);
  const client = requiredClient(context);
  const origin = `the refresh token in ${name}`;
  const held = { accessToken: '', refreshToken, discovery, client, requestedScopes: scopes, origin, isNew: false };
  return renewed(held, context);
}

/** Tokens of a login that is kept in the keyring. */
export async function tokensOfLogin(discovery: Discovery, context: TokenContext): Promise<HeldTokens> {
  const { keyring, missing } = await openKeyring(context.env);
  if (!keyring) throw loginNeeded(`there is no login, and none can be kept here: no keyring (${missing})`);
  const held = await keptTokens(new KeptLogins(keyring), discovery, context);
  if (!held) throw loginNeeded('there is no login');
  return held.accessToken === '' || isExpired(held) ? renewed(held, context) : held;
}

async function keptTokens(
  logins: KeptLogins,
  discovery: Discovery,
  { settings, env, secrets }: TokenContext,
): Promise<HeldTokens | undefined> {
  const kept = await logins.login(discovery.server.issuer, discovery.resource);
  const configured = configuredClient(settings, env);
  if (!kept || (configured && configured.clientId !== kept.clientId)) return undefined;
  const { clientId, clientSecret, accessToken = '', refreshToken, scopes, expiresAtMs } = kept;
  const client = configured ?? { clientId, clientSecret };
  secrets.add(client.clientSecret, accessToken, refreshToken);
  const tokens = { accessToken, refreshToken, scopes, expiresAtMs };
  return { ...tokens, discovery, client, requestedScopes: scopes, logins, origin: 'the login', isNew: false };
}

/** New tokens for a refresh token; a new refresh token takes the place of the old one. */
export async function renewed(held: HeldTokens, context: TokenContext): Promise<HeldTokens> {
  const { discovery, client, refreshToken, origin } = held;
  if (refreshToken === undefined) throw loginNeeded('its token expired or was revoked, and there is none to renew it');
  const grant = { grant_type: 'refresh_token', refresh_token: refreshToken, resource: discovery.resource };
  try {
    context.secrets.add(refreshToken);
    const tokens = await issued(discovery, client, grant, context);
    const next: HeldTokens = {
      ...held,
      accessToken: tokens.accessToken,
      refreshToken: tokens.refreshToken ?? refreshToken,
      scopes: tokens.scopes ?? held.scopes,
      expiresAtMs: tokens.expiresAtMs,
      isNew: true,
    };
    await keep(next, context);
    return next;
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    const other = await renewedElsewhere(held, context);
    if (other) return other;
    throw loginNeeded(
      `${discovery.server.issuer} refused ${origin}, which may be expired, revoked or used before: ${error.message}`,
    );
  }
}

/** A refresh token works once: another process with the same login may have been quicker. */
async function renewedElsewhere(held: HeldTokens, context: TokenContext): Promise<HeldTokens | undefined> {
  const latest = held.logins && (await keptTokens(held.logins, held.discovery, context));
  return latest && latest.refreshToken !== held.refreshToken && latest.accessToken !== '' ? latest : undefined;
}

async function keep({ logins, discovery, client, ...tokens }: HeldTokens, { settings }: TokenContext): Promise<void> {
  const { accessToken, refreshToken, scopes, expiresAtMs } = tokens;
  await logins?.keepLogin(discovery.server.issuer, discovery.resource, {
    clientId: client.clientId,
    // A secret of the environment stays there.
    ...(settings?.clientSecretEnv === undefined && { clientSecret: client.clientSecret }),
    ...{ accessToken, refreshToken, scopes: scopes && [...scopes], expiresAtMs },
  });
}

/** Requests tokens; they are secrets from the moment they are there. */
async function issued(
  { server }: Pick<Discovery, 'server'>,
  client: OAuthClient,
  grant: Readonly<Record<string, string | undefined>>,
  { http, secrets, signal }: Pick<TokenContext, 'http' | 'secrets' | 'signal'>,
): Promise<Tokens> {
  secrets.add(client.clientSecret);
  const tokens = await requestTokens(server, client, grant, http, signal);
  secrets.add(tokens.accessToken, tokens.refreshToken);
  return tokens;
}

function requiredClient({ settings, env }: TokenContext): OAuthClient {
  const client = configuredClient(settings, env);
  if (!client) throw authorizationFault('`oauth.clientId` is missing', 'MCP_LOGIN_REQUIRED');
  return client;
}

export function loginNeeded(why: string) {
  return authorizationFault(why, 'MCP_LOGIN_REQUIRED');
}
