import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { sharedSuiteKeys } from './feature-suites.ts';

const text = () => z.string().min(1);
const check = (what: string) => z.boolean().default(false).describe(what);

const endpointsSchema = () =>
  z
    .strictObject({
      authorizationEndpoint: z.url().optional().describe('where users agree'),
      tokenEndpoint: z.url().optional().describe('where tokens are requested'),
      revocationEndpoint: z.url().optional().describe('where tokens are revoked'),
      deviceAuthorizationEndpoint: z.url().optional().describe('where device codes are requested'),
      supportedGrantTypes: z.array(text()).optional().describe('not used'),
      supportedScopes: z.array(text()).optional().describe('not used'),
      pkceRequired: z.boolean().optional().describe('not used: use `securityChecks.validatePKCE`'),
      resourceIndicatorsSupported: z.boolean().optional().describe('not used'),
    })
    .optional()
    .describe('endpoints of the authorization server; those that are missing come from the metadata of the MCP server');

const clientSchema = () =>
  z
    .strictObject({
      clientId: text().describe('client that is registered with the authorization server'),
      clientSecret: text().optional().describe('use ${VAR} instead of the secret itself'),
      responseType: z.literal('code').optional().describe('not used: always `code`'),
      scope: z.array(text()).default([]).describe('scopes to request'),
      redirectUri: z.url().default('http://127.0.0.1/callback').describe('registered address; it is never opened'),
      pkce: z
        .strictObject({
          enabled: z.boolean().default(true).describe('false: request codes without a verifier'),
          codeChallengeMethod: z.enum(['S256', 'plain']).default('S256').describe('how the verifier is announced'),
        })
        .optional()
        .describe('proof that the same program requested the code'),
      resourceIndicators: z
        .array(
          z.strictObject({
            resourceUri: z.url().describe('address of the resource'),
            audienceRestriction: z.boolean().optional().describe('not used: use `securityChecks.validateAudience`'),
          }),
        )
        .default([])
        .describe('resources that the token is for; by default the MCP server'),
    })
    .describe('client that makes the requests');
export type OAuthTestClient = z.output<ReturnType<typeof clientSchema>>;

const sharedKeys = () => ({
  name: text().describe('name of the test'),
  description: z.string().optional().describe('what the test is for'),
  server: endpointsSchema(),
  expectedResult: z
    .enum(['success', 'failure', 'error'])
    .default('success')
    .describe('`failure` and `error`: the authorization server or the MCP server must refuse'),
});
const flow = () => z.string().optional().describe('not used: the list decides');
const securityChecks = () =>
  z
    .strictObject({
      validatePKCE: check('a code is refused with another verifier, and without one'),
      validateState: check('the answer has the `state` of the request'),
      validateNonce: check('the ID token has the `nonce` of the request'),
      validateAudience: check('the MCP server accepts the token, and its audience is the resource'),
      checkTokenExpiration: check('the token expires, within a day'),
      checkScopeRestriction: check('no scope is granted that was not requested'),
      rejectsReplayedCode: check('a code is refused when it is used again'),
      rejectsOtherRedirects: check('no answer is sent to an address that is not registered'),
    })
    .prefault({})
    .describe('further requirements');

const authorizationCodeTestSchema = () =>
  z.strictObject({
    ...sharedKeys(),
    flow: flow(),
    client: clientSchema(),
    authorizationParams: z.record(z.string(), z.string()).default({}).describe('further parameters of the request'),
    simulateUserConsent: z
      .boolean()
      .optional()
      .describe('not used: an authorization server that shows a page is not judged'),
    securityChecks: securityChecks(),
  });
const clientCredentialsTestSchema = () =>
  z.strictObject({
    ...sharedKeys(),
    flow: flow(),
    client: clientSchema(),
    clientAuthentication: z
      .enum(['client_secret_basic', 'client_secret_post'])
      .default('client_secret_basic')
      .describe('how the client sends its secret'),
    securityChecks: securityChecks(),
  });
const deviceCodeTestSchema = () =>
  z.strictObject({
    ...sharedKeys(),
    flow: flow(),
    client: clientSchema(),
    pollingInterval: z.number().min(0).optional().describe('not used: the authorization server names the interval'),
    simulateUserAuthorization: z
      .boolean()
      .default(false)
      .describe('open the page of the code, as a user who agrees would'),
  });
const tokenManagementTestSchema = () =>
  z.strictObject({
    ...sharedKeys(),
    client: clientSchema().optional(),
    testType: z
      .enum(['refresh', 'expiration', 'revocation', 'validation'])
      .describe('renew the token; or use it as it is, or after its revocation, at the MCP server'),
    token: z
      .strictObject({
        accessToken: text().optional().describe('use ${VAR} instead of the token itself'),
        refreshToken: text().optional().describe('use ${VAR} instead of the token itself'),
        tokenType: z.string().optional().describe('not used'),
        expiresIn: z.number().optional().describe('not used'),
        scope: z.array(text()).optional().describe('not used'),
      })
      .describe('tokens that were issued before'),
    validateTokenClaims: check('the new token is a token for this MCP server'),
    checkTokenSecurity: z.boolean().optional().describe('not used'),
  });
const pkceValidationTestSchema = () =>
  z.strictObject({
    ...sharedKeys(),
    client: clientSchema().optional(),
    codeChallengeMethod: z.enum(['S256', 'plain']).default('S256').describe('how the verifier is announced'),
    invalidChallenge: z.boolean().default(false).describe('use another verifier than the one that was announced'),
    securityLevel: z.string().optional().describe('not used'),
  });
const resourceIndicatorTestSchema = () =>
  z.strictObject({
    ...sharedKeys(),
    client: clientSchema().optional(),
    resourceUri: z.url().describe('resource that the token is requested for'),
    requestedScopes: z.array(text()).default([]).describe('scopes to request instead of those of the client'),
    expectedAudience: z.string().optional().describe('audience of the token; by default `resourceUri`'),
    crossResourceAccess: z
      .boolean()
      .default(false)
      .describe('`resourceUri` is another resource: the MCP server must refuse a token for it'),
    validateAudienceRestriction: z.boolean().optional().describe('not used: the audience is always checked'),
  });
const tenantSchema = () =>
  z.strictObject({
    tenantId: text().describe('name of the tenant in messages'),
    accessToken: text().optional().describe('token of a user of this tenant; use ${VAR} instead of the token itself'),
    tenantDomain: z.string().optional().describe('not used'),
    isolationLevel: z.string().optional().describe('not used'),
    crossTenantAccess: z.boolean().optional().describe('not used'),
  });
const multiTenantTestSchema = () =>
  z.strictObject({
    ...sharedKeys(),
    primaryTenant: tenantSchema().describe('tenant that the MCP server belongs to'),
    secondaryTenant: tenantSchema().optional().describe('another tenant, whose user must be refused'),
    testScenario: z
      .enum(['same_tenant_access', 'cross_tenant_blocked'])
      .describe('whose user calls the server, and whether he must be accepted or refused'),
    validateTenantIsolation: z.boolean().optional().describe('not used: the tokens decide'),
  });

/** Tests of the authorization of an MCP server. */
export const oauth2SuiteSchema = lazySchema(() =>
  z.strictObject({
    ...sharedSuiteKeys(),
    client: clientSchema().optional().describe('client of tests that name none'),
    authorizationCodeTests: z.array(authorizationCodeTestSchema()).default([]).describe('logins of a user'),
    clientCredentialsTests: z.array(clientCredentialsTestSchema()).default([]).describe('tokens of a client'),
    deviceCodeTests: z.array(deviceCodeTestSchema()).default([]).describe('logins on another device'),
    tokenManagementTests: z
      .array(tokenManagementTestSchema())
      .default([])
      .describe('renewed, expired and revoked tokens'),
    pkceValidationTests: z
      .array(pkceValidationTestSchema())
      .default([])
      .describe('codes with right and wrong verifiers'),
    resourceIndicatorTests: z.array(resourceIndicatorTestSchema()).default([]).describe('tokens for other resources'),
    multiTenantTests: z.array(multiTenantTestSchema()).default([]).describe('tokens of other tenants'),
  }),
);
type OAuth2Suite = z.output<typeof oauth2SuiteSchema>;

interface KindOf<Kind extends string, Spec> {
  readonly kind: Kind;
  readonly spec: Spec;
}

/** One test of an OAuth suite with the list that it stands in. */
export type OAuthTest =
  | KindOf<'authorization-code', z.output<ReturnType<typeof authorizationCodeTestSchema>>>
  | KindOf<'client-credentials', z.output<ReturnType<typeof clientCredentialsTestSchema>>>
  | KindOf<'device-code', z.output<ReturnType<typeof deviceCodeTestSchema>>>
  | KindOf<'token', z.output<ReturnType<typeof tokenManagementTestSchema>>>
  | KindOf<'pkce', z.output<ReturnType<typeof pkceValidationTestSchema>> & { readonly client: OAuthTestClient }>
  | KindOf<'resource', z.output<ReturnType<typeof resourceIndicatorTestSchema>> & { readonly client: OAuthTestClient }>
  | KindOf<'tenant', z.output<ReturnType<typeof multiTenantTestSchema>>>;

/** A test that an OAuth suite lists, and why it cannot be done where it cannot. */
interface ListedOAuthTest {
  readonly test: OAuthTest;
  readonly unsupported?: string | undefined;
}

const noClient: OAuthTestClient = { clientId: '', scope: [], redirectUri: '', resourceIndicators: [] };

/** The tests of a suite, each with the client of the suite where it names none. */
export function oauthTests(suite: OAuth2Suite): ListedOAuthTest[] {
  const listed = <Kind extends OAuthTest['kind']>(
    kind: Kind,
    specs: readonly { readonly client?: OAuthTestClient | undefined }[],
    isClientNeeded = false,
  ): ListedOAuthTest[] =>
    specs.map((spec) => {
      const client = spec.client ?? suite.client;
      const unsupported = isClientNeeded && !client ? 'name the `client` of the test or of the suite' : undefined;
      const test = { kind, spec: { ...spec, client: client ?? (isClientNeeded ? noClient : undefined) } };
      return { test: test as unknown as OAuthTest, unsupported };
    });
  return [
    ...listed('authorization-code', suite.authorizationCodeTests),
    ...listed('client-credentials', suite.clientCredentialsTests),
    ...listed('device-code', suite.deviceCodeTests),
    ...listed('token', suite.tokenManagementTests),
    ...listed('pkce', suite.pkceValidationTests, true),
    ...listed('resource', suite.resourceIndicatorTests, true),
    ...suite.multiTenantTests.map((spec) => ({
      test: { kind: 'tenant', spec } as const,
      unsupported: tokenMissing(spec),
    })),
  ];
}

/** No standard says how a tenant is named, so the tokens of both must be given. */
function tokenMissing({
  testScenario,
  primaryTenant,
  secondaryTenant,
}: z.output<ReturnType<typeof multiTenantTestSchema>>) {
  const tenant = testScenario === 'same_tenant_access' ? primaryTenant : secondaryTenant;
  return tenant?.accessToken === undefined
    ? 'name the `accessToken` of the tenant whose user calls the server'
    : undefined;
}

/** Outcome of an OAuth test in the trace. */
export interface OAuthObserved {
  /** Whether the request was granted. */
  readonly result: 'success' | 'failure';
  readonly why: string;
  readonly checks: readonly OAuthCheck[];
}

/** One requirement beside the result. */
export interface OAuthCheck {
  readonly check: string;
  readonly isMet: boolean;
  readonly details: string;
}
