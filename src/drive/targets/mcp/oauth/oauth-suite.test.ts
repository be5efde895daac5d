import { describe, expect, it } from 'vitest';
import { confidentialClient, publicClient } from '../../../../testing/fakes/oauth/authorization-server.ts';
import { type ProtectedServer, startProtectedServer } from '../../../../testing/fakes/oauth/protected-server.ts';
import type { OAuthSwitches } from '../../../../testing/fakes/oauth/switches.ts';
import { runSuite, type SuiteRun } from '../../../../testing/support/suite-run.ts';

const user = { clientId: publicClient, scope: ['files:read'] };
const service = { clientId: confidentialClient.id, clientSecret: confidentialClient.secret, scope: ['files:read'] };
const everyCheck = {
  validatePKCE: true,
  validateState: true,
  validateAudience: true,
  checkTokenExpiration: true,
  checkScopeRestriction: true,
  rejectsReplayedCode: true,
  rejectsOtherRedirects: true,
};

function run({ url }: ProtectedServer, suite: object): Promise<SuiteRun> {
  return runSuite(suite, { kind: 'oauth2', server: { url } });
}

/** A suite with every kind of test, as it passes on a server without mistakes. */
function wholeSuite({ authorization, url }: ProtectedServer): object {
  const { secrets } = authorization;
  const refreshToken = authorization.loginOf(publicClient, url);
  const accessToken = [...secrets].at(-2) ?? '';
  const foreign = authorization.loginOf(publicClient, 'https://other.example.com') && ([...secrets].at(-2) ?? '');
  authorization.switches.expiresInSeconds = -1;
  const expired = authorization.loginOf(publicClient, url) && ([...secrets].at(-2) ?? '');
  delete authorization.switches.expiresInSeconds;
  return {
    client: user,
    authorizationCodeTests: [{ name: 'login', client: user, securityChecks: everyCheck }],
    clientCredentialsTests: [
      { name: 'service', client: service, securityChecks: { validateAudience: true, checkScopeRestriction: true } },
      { name: 'wrong secret', client: { ...service, clientSecret: 'another-secret' }, expectedResult: 'failure' },
    ],
    deviceCodeTests: [{ name: 'device', client: user, simulateUserAuthorization: true }],
    tokenManagementTests: [
      { name: 'refresh', testType: 'refresh', token: { refreshToken }, validateTokenClaims: true },
      {
        name: 'refresh twice',
        testType: 'refresh',
        token: { refreshToken: 'was-never-issued' },
        expectedResult: 'failure',
      },
      { name: 'unknown', testType: 'validation', token: { accessToken: 'made-up-token' }, expectedResult: 'failure' },
      { name: 'expired', testType: 'expiration', token: { accessToken: expired }, expectedResult: 'failure' },
      { name: 'revocation', testType: 'revocation', token: { accessToken } },
    ],
    pkceValidationTests: [
      { name: 'right verifier' },
      { name: 'wrong verifier', invalidChallenge: true, expectedResult: 'failure' },
      { name: 'plain', codeChallengeMethod: 'plain', expectedResult: 'failure' },
    ],
    resourceIndicatorTests: [
      { name: 'audience', resourceUri: url },
      { name: 'other resource', resourceUri: 'https://other.example.com', crossResourceAccess: true },
    ],
    multiTenantTests: [
      {
        name: 'other tenant',
        primaryTenant: { tenantId: 'a' },
        secondaryTenant: { tenantId: 'b', accessToken: foreign },
        testScenario: 'cross_tenant_blocked',
      },
    ],
  };
}

describe('an OAuth suite', () => {
  it('passes on a server without mistakes, and leaves no token in the trace', async () => {
    const server = await startProtectedServer();
    const { record, entries, trace } = await run(server, wholeSuite(server));
    expect(entries.map(({ testName, state, details }) => `${testName}: ${state} ${details}`)).toEqual(
      entries.map(({ testName }) => expect.stringMatching(new RegExp(`^${testName}: pass `))),
    );
    expect(entries).toHaveLength(15);
    expect(record.outcome).toBe('pass');
    const written = JSON.stringify(trace.filter(({ type }) => type === 'mcp-test'));
    expect([...server.authorization.secrets].filter((secret) => written.includes(secret))).toEqual([]);
  });

  it.each<[keyof OAuthSwitches, Record<string, RegExp>]>([
    [
      'ignoresVerifier',
      {
        login: /PKCE is required: a code was accepted/,
        'wrong verifier': /Expected failure, got success/,
        plain: /got success/,
      },
    ],
    ['takesCodesTwice', { login: /a replayed code is refused: a code was accepted twice/ }],
    ['redirectsAnywhere', { login: /other redirects are refused: a code was sent/ }],
    ['dropsState', { login: /state is returned/ }],
    ['grantsMoreScopes', { login: /scopes are restricted: also granted: admin/, service: /also granted: admin/ }],
    [
      'takesAnyAudience',
      { 'other resource': /accepted a token for another resource/, 'other tenant': /accepted a token of b/ },
    ],
    ['takesAnyToken', { unknown: /Expected failure, got success/ }],
    ['takesExpired', { expired: /Expected failure, got success/ }],
    ['takesRevoked', { revocation: /Expected success, got failure: the MCP server accepts the revoked token/ }],
    [
      'ignoresResource',
      { login: /the token is for "https:\/\/other.example.com"/, service: /is for/, audience: /is for/ },
    ],
  ])('finds the mistake %s, and no other', async (mistake, expected) => {
    const server = await startProtectedServer();
    const suite = wholeSuite(server);
    Object.assign(server.switches, { [mistake]: true });
    const { entries, record } = await run(server, suite);
    const failed = Object.fromEntries(
      entries
        .filter(({ state }) => state !== 'pass')
        .map(({ testName, state, details }) => [testName, `${state} ${details}`]),
    );
    expect(failed).toEqual(
      Object.fromEntries(
        Object.entries(expected).map(([name, text]) => [
          name,
          expect.stringMatching(new RegExp(`^fail .*${text.source}`)),
        ]),
      ),
    );
    expect(record.outcome).toBe('fail');
  });

  it.each<[string, OAuthSwitches, object, RegExp]>([
    [
      'a page',
      { showsPage: true },
      { authorizationCodeTests: [{ name: 'x', client: user }] },
      /NOT_OBSERVED.*shows a page/,
    ],
    [
      'a device code without consent',
      { denies: true },
      { deviceCodeTests: [{ name: 'x', client: user, simulateUserAuthorization: true }] },
      /NOT_OBSERVED.*no user agreed/,
    ],
    [
      'refusals of an overloaded server',
      { overloadedAfter: 2 },
      { authorizationCodeTests: [{ name: 'x', client: user, securityChecks: { validatePKCE: true } }] },
      /NOT_OBSERVED.*answered HTTP 503/,
    ],
    [
      'a replayed code at an overloaded server',
      { overloadedAfter: 2 },
      { authorizationCodeTests: [{ name: 'x', client: user, securityChecks: { rejectsReplayedCode: true } }] },
      /MCP_AUTHORIZATION_FAILED.*answered HTTP 503/,
    ],
    [
      'a wrong verifier of a client that is refused anyway',
      {},
      {
        pkceValidationTests: [
          { name: 'x', client: { clientId: 'unknown' }, invalidChallenge: true, expectedResult: 'failure' },
        ],
      },
      /NOT_OBSERVED.*the right request is refused as well/,
    ],
    [
      'another resource of a client that is refused anyway',
      {},
      {
        resourceIndicatorTests: [
          {
            name: 'x',
            client: { ...service, clientSecret: 'another-secret' },
            resourceUri: 'https://other.example.com',
            crossResourceAccess: true,
          },
        ],
      },
      /NOT_OBSERVED.*the right request is refused as well/,
    ],
    [
      'a nonce',
      {},
      { authorizationCodeTests: [{ name: 'x', client: user, securityChecks: { validateNonce: true } }] },
      /NOT_OBSERVED.*nonce/,
    ],
    [
      'lying metadata',
      { otherIssuer: true },
      { pkceValidationTests: [{ name: 'x', client: user }] },
      /MCP_AUTHORIZATION_FAILED.*is the metadata of/,
    ],
    ['no client', {}, { pkceValidationTests: [{ name: 'x' }] }, /CRITERION_UNUSABLE.*name the `client`/],
    [
      'a tenant without a token',
      {},
      { multiTenantTests: [{ name: 'x', primaryTenant: { tenantId: 'a' }, testScenario: 'same_tenant_access' }] },
      /CRITERION_UNUSABLE.*`accessToken`/,
    ],
  ])('does not judge %s', async (_, switches, suite, fault) => {
    const { record, entries } = await run(await startProtectedServer(switches), suite);
    expect(record.outcome).toBe('error');
    expect(entries.map(({ state }) => state)).toEqual(['error']);
    expect(`${record.fault?.code} ${record.fault?.message}`).toMatch(fault);
  });
});
