import type { OAuthCheck, OAuthTest, OAuthTestClient } from '../../../../domain/mcp/oauth-suites.ts';
import { claimsOf, type Tokens } from '../../../mcp/authorization/tokens.ts';
import { type Granted, type OAuthSession, type ReceivedCode, unobserved } from './oauth-session.ts';

type CodeSpec = Extract<OAuthTest, { kind: 'authorization-code' }>['spec'];
type Checks = CodeSpec['securityChecks'];

const longestSeconds = 86_400;

export function met(check: string, isMet: boolean, details: string): OAuthCheck {
  return { check, isMet, details };
}

/** A further request that must be refused. */
function refused(check: string, granted: Granted<unknown>, details: string): OAuthCheck {
  return met(check, 'refusal' in granted, details);
}

/** Requirements on tokens, whatever grant they come from. */
export async function tokenChecks(
  checks: Checks,
  tokens: Tokens,
  { scopes, resource }: { readonly scopes: readonly string[]; readonly resource: string | undefined },
  session: OAuthSession,
): Promise<OAuthCheck[]> {
  const results: OAuthCheck[] = [];
  if (checks.checkTokenExpiration) results.push(expirationCheck(tokens));
  if (checks.checkScopeRestriction) {
    const more = (tokens.scopes ?? scopes).filter((scope) => !scopes.includes(scope));
    results.push(met('scopes are restricted', more.length === 0, `also granted: ${more.join(' ')}`));
  }
  if (checks.validateAudience) results.push(await audienceCheck(tokens, resource, session));
  return results;
}

function expirationCheck({ expiresAtMs }: Tokens): OAuthCheck {
  const seconds = expiresAtMs === undefined ? undefined : Math.round((expiresAtMs - Date.now()) / 1_000);
  const isMet = seconds !== undefined && seconds > 0 && seconds <= longestSeconds;
  return met('the token expires', isMet, seconds === undefined ? 'no `expires_in`' : `expires in ${seconds} s`);
}

/** The audience of a token, as it says itself or as the MCP server shows by accepting it. */
export async function audienceCheck(
  { accessToken }: Tokens,
  resource: string | undefined,
  session: OAuthSession,
): Promise<OAuthCheck> {
  const name = 'the audience is restricted';
  const { aud } = claimsOf(accessToken) ?? {};
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (aud !== undefined && !audiences.includes(resource))
    return met(name, false, `the token is for ${JSON.stringify(aud)}, not for ${resource}`);
  if (resource !== session.resource) {
    if (aud === undefined) throw unobserved('the token does not show its audience, and is for another server');
    return met(name, true, `the token is for ${resource}`);
  }
  const use = await session.useToken(accessToken);
  return 'refusal' in use ? met(name, false, use.refusal) : met(name, true, use.value);
}

/** Requirements on a login, each shown by a further login that goes wrong in one respect. */
export async function loginChecks(
  { client, securityChecks: checks }: CodeSpec,
  { answer, state, code, verifier }: ReceivedCode,
  target: { readonly resource: string | undefined; readonly scopes: readonly string[] },
  session: OAuthSession,
): Promise<OAuthCheck[]> {
  const results: OAuthCheck[] = [];
  if (checks.validateState)
    results.push(met('state is returned', answer.get('state') === state, 'the answer had another `state` or none'));
  if (checks.rejectsReplayedCode) {
    const again = await session.exchange(client, { code, verifier, resource: target.resource });
    results.push(refused('a replayed code is refused', again, 'a code was accepted twice'));
  }
  if (checks.validatePKCE) results.push(...(await pkceChecks(client, target, session)));
  if (checks.rejectsOtherRedirects) {
    const elsewhere = await session.requestCode(client, {
      ...target,
      redirectUri: 'http://127.0.0.1/assay-other-redirect',
    });
    results.push(
      refused('other redirects are refused', elsewhere, 'a code was sent to an address that is not registered'),
    );
  }
  return results;
}

async function pkceChecks(
  client: OAuthTestClient,
  target: { readonly resource: string | undefined; readonly scopes: readonly string[] },
  session: OAuthSession,
): Promise<OAuthCheck[]> {
  const check = 'PKCE is required';
  const other = await withCode(client, target, session, 'S256', 'x'.repeat(43));
  const without = await withCode(client, target, session, 'none', undefined);
  return [
    refused(check, other, 'a code was accepted with another verifier'),
    refused(check, without, 'a code was given and accepted without PKCE'),
  ];
}

/** Requests a code in one way, and uses it in another. */
export async function withCode(
  client: OAuthTestClient,
  target: { readonly resource: string | undefined; readonly scopes: readonly string[] },
  session: OAuthSession,
  method: 'S256' | 'plain' | 'none',
  verifier?: string,
): Promise<Granted<Tokens>> {
  const received = await session.requestCode(client, { ...target, method });
  if ('refusal' in received) return received;
  const { code } = received.value;
  return session.exchange(client, { code, verifier: verifier ?? received.value.verifier, resource: target.resource });
}
