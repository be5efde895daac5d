import { setTimeout as pause } from 'node:timers/promises';
import type { OAuthCheck, OAuthObserved, OAuthTest, OAuthTestClient } from '../../../../domain/mcp/oauth-suites.ts';
import type { Tokens } from '../../../mcp/authorization/tokens.ts';
import { audienceCheck, loginChecks, met, tokenChecks, withCode } from './oauth-checks.ts';
import { type Granted, type OAuthSession, unobserved } from './oauth-session.ts';

type SpecOf<Kind extends OAuthTest['kind']> = Extract<OAuthTest, { kind: Kind }>['spec'];

/** Does what a test requires, and reports what was granted or refused. */
export function tryOAuthTest(test: OAuthTest, session: OAuthSession, signal: AbortSignal): Promise<OAuthObserved> {
  switch (test.kind) {
    case 'authorization-code':
      return tryLogin(test.spec, session);
    case 'client-credentials':
      return tryClient(test.spec, session);
    case 'device-code':
      return tryDevice(test.spec, session, signal);
    case 'token':
      return tryToken(test.spec, session);
    case 'pkce':
      return tryPkce(test.spec, session);
    case 'resource':
      return tryResource(test.spec, session);
    case 'tenant':
      return tryTenant(test.spec, session);
  }
}

function success(why: string, checks: readonly OAuthCheck[] = []): OAuthObserved {
  return { result: 'success', why, checks };
}

function failure(why: string): OAuthObserved {
  return { result: 'failure', why, checks: [] };
}

function targetOf({ scope: scopes, resourceIndicators }: OAuthTestClient, session: OAuthSession) {
  return { scopes, resource: resourceIndicators[0]?.resourceUri ?? session.resource };
}

async function tryLogin(spec: SpecOf<'authorization-code'>, session: OAuthSession): Promise<OAuthObserved> {
  const { client, authorizationParams: params, securityChecks } = spec;
  const target = targetOf(client, session);
  const { enabled = true, codeChallengeMethod = 'S256' } = client.pkce ?? {};
  const received = await session.requestCode(client, {
    ...target,
    params,
    method: enabled ? codeChallengeMethod : 'none',
  });
  if ('refusal' in received) return failure(received.refusal);
  const { code, verifier } = received.value;
  const tokens = await session.exchange(client, { code, verifier, resource: target.resource });
  if ('refusal' in tokens) return failure(tokens.refusal);
  // A replayed code may end the tokens that it gave, so they are looked at first.
  const ofTokens = await tokenChecks(securityChecks, tokens.value, target, session);
  const checks = [...ofTokens, ...(await loginChecks(spec, received.value, target, session))];
  if (securityChecks.validateNonce && checks.every(({ isMet }) => isMet))
    throw unobserved('a `nonce` belongs to ID tokens, which are not requested for MCP servers');
  return success('a token was issued', checks);
}

async function tryClient(spec: SpecOf<'client-credentials'>, session: OAuthSession): Promise<OAuthObserved> {
  const { client, clientAuthentication, securityChecks } = spec;
  const { scopes, resource } = targetOf(client, session);
  const grant = { grant_type: 'client_credentials', scope: scopes.join(' ') || undefined, resource };
  const tokens = await session.tokens(client, grant, clientAuthentication);
  if ('refusal' in tokens) return failure(tokens.refusal);
  return success('a token was issued', await tokenChecks(securityChecks, tokens.value, { scopes, resource }, session));
}

const mostPolls = 60;

async function tryDevice(
  spec: SpecOf<'device-code'>,
  session: OAuthSession,
  signal: AbortSignal,
): Promise<OAuthObserved> {
  const { client, simulateUserAuthorization } = spec;
  const { status, body, summary } = await session.requestDeviceCode(client);
  const { device_code: code, verification_uri_complete: page, interval = 5 } = body;
  if (status >= 400) return failure(`the device endpoint answered ${summary}`);
  if (typeof code !== 'string') throw unobserved(`the device endpoint answered without a \`device_code\``);
  if (simulateUserAuthorization && typeof page === 'string' && URL.canParse(page)) await session.open(new URL(page));
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: code };
  for (let polls = 0; polls < (simulateUserAuthorization ? mostPolls : 1); polls++) {
    const tokens = await session.tokens(client, { ...grant, resource: targetOf(client, session).resource });
    if ('value' in tokens) return success('a token was issued');
    if (!/authorization_pending|slow_down/.test(tokens.refusal)) return failure(tokens.refusal);
    // The page does not agree by itself, so waiting any longer shows nothing new.
    if (Number(interval) === 0 && polls > 1) break;
    await pause(Number(interval) * 1_000, undefined, { signal });
  }
  if (spec.expectedResult !== 'success') return failure('no token is issued before a user agrees');
  throw unobserved('no user agreed to the device code');
}

async function tryToken(spec: SpecOf<'token'>, session: OAuthSession): Promise<OAuthObserved> {
  const { testType, token, client, validateTokenClaims } = spec;
  if (testType === 'refresh') {
    if (!client || token.refreshToken === undefined)
      throw unobserved('the test names no `client` or no `refreshToken`');
    const grant = { grant_type: 'refresh_token', refresh_token: token.refreshToken, resource: session.resource };
    const renewed = await session.tokens(client, grant);
    if ('refusal' in renewed) return failure(renewed.refusal);
    const checks = validateTokenClaims ? [await audienceCheck(renewed.value, session.resource, session)] : [];
    return success('the token was renewed', checks);
  }
  if (token.accessToken === undefined) throw unobserved('the test names no `accessToken`');
  if (testType === 'revocation') {
    const before = await session.useToken(token.accessToken);
    if ('refusal' in before) throw unobserved(`the token did not work before its revocation: ${before.refusal}`);
    const { status, summary } = await session.revoke(client, token.accessToken);
    if (status >= 400) return failure(`the revocation endpoint answered ${summary}`);
    const after = await session.useToken(token.accessToken);
    return 'refusal' in after ? success('the token was revoked') : failure('the MCP server accepts the revoked token');
  }
  return outcomeOf(await session.useToken(token.accessToken));
}

function outcomeOf(use: Granted<string>): OAuthObserved {
  return 'refusal' in use ? failure(use.refusal) : success(use.value);
}

async function tryPkce(spec: SpecOf<'pkce'>, session: OAuthSession): Promise<OAuthObserved> {
  const { client, codeChallengeMethod, invalidChallenge } = spec;
  const wrong = invalidChallenge ? 'x'.repeat(43) : undefined;
  const tokens = await withCode(client, targetOf(client, session), session, codeChallengeMethod, wrong);
  if ('value' in tokens) return success('a token was issued');
  if (spec.expectedResult === 'failure')
    await assertGranted(withCode(client, targetOf(client, session), session, 'S256'));
  return failure(tokens.refusal);
}

/** A wrong request that is refused shows something only where the right one is granted. */
async function assertGranted(right: Promise<Granted<Tokens>>): Promise<void> {
  const granted = await right;
  if ('refusal' in granted) throw unobserved(`the right request is refused as well: ${granted.refusal}`);
}

async function tryResource(spec: SpecOf<'resource'>, session: OAuthSession): Promise<OAuthObserved> {
  const { resourceUri, expectedAudience, crossResourceAccess } = spec;
  const tokens = await tokensFor(spec, session);
  if (!crossResourceAccess) {
    if ('refusal' in tokens) return failure(tokens.refusal);
    return success('a token was issued', [await audienceCheck(tokens.value, expectedAudience ?? resourceUri, session)]);
  }
  if (resourceUri === session.resource)
    throw unobserved('`resourceUri` is the MCP server itself, not another resource');
  if ('refusal' in tokens) {
    await assertGranted(tokensFor({ ...spec, resourceUri: session.resource ?? resourceUri }, session));
    return success(`no token was issued for another resource: ${tokens.refusal}`);
  }
  const use = await session.useToken(tokens.value.accessToken);
  const details = 'the MCP server accepted a token for another resource';
  return success('a token for another resource was tried', [met('it is refused', 'refusal' in use, details)]);
}

/** A client with a secret speaks for itself, one without for a user. */
function tokensFor(spec: SpecOf<'resource'>, session: OAuthSession): Promise<Granted<Tokens>> {
  const { client, requestedScopes, resourceUri: resource } = spec;
  const scopes = requestedScopes.length > 0 ? requestedScopes : client.scope;
  if (client.clientSecret === undefined) return withCode(client, { scopes, resource }, session, 'S256');
  return session.tokens(client, { grant_type: 'client_credentials', scope: scopes.join(' ') || undefined, resource });
}

async function tryTenant(spec: SpecOf<'tenant'>, session: OAuthSession): Promise<OAuthObserved> {
  const { testScenario, primaryTenant, secondaryTenant } = spec;
  if (testScenario === 'same_tenant_access') return outcomeOf(await session.useToken(primaryTenant.accessToken ?? ''));
  const use = await session.useToken(secondaryTenant?.accessToken ?? '');
  const details = `the MCP server accepted a token of ${secondaryTenant?.tenantId}`;
  return success('a token of another tenant was tried', [met('it is refused', 'refusal' in use, details)]);
}
