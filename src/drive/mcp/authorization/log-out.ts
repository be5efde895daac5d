import type { KeptLogins } from './kept-login.ts';
import { findAuthorization } from './login.ts';
import { OAuthHttp } from './oauth-http.ts';
import type { OAuthSettings } from './oauth-settings.ts';
import { clientProof } from './tokens.ts';

interface LogoutOptions {
  readonly url: URL;
  readonly settings: OAuthSettings | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logins: KeptLogins;
  readonly signal: AbortSignal;
}

/** Revokes the tokens of a login where the authorization server can (RFC 7009), and takes it out of the keyring. */
export async function logOut({ url, settings, env, logins, signal }: LogoutOptions) {
  using http = new OAuthHttp({ env, timeoutMs: 30_000, redact: (text) => text, mcpServer: url });
  const { discovery } = await findAuthorization({ url, settings, scopes: [], signal }, http);
  const { issuer, revocationEndpoint, tokenAuthMethods } = discovery.server;
  const login = await logins.login(issuer, discovery.resource);
  await logins.forget(issuer, discovery.resource);
  const token = login?.refreshToken ?? login?.accessToken;
  if (!login || token === undefined) return { issuer, wasLoggedIn: false, isRevoked: false };
  if (!revocationEndpoint) return { issuer, wasLoggedIn: true, isRevoked: false };
  const { fields, headers } = clientProof(login, tokenAuthMethods);
  const { status } = await http.form(revocationEndpoint, { token, ...fields }, headers, signal);
  return { issuer, wasLoggedIn: true, isRevoked: status === 200 };
}
