import { describe, expect, it } from 'vitest';
import { AssayError } from '../../../domain/errors.ts';
import { confidentialClient, publicClient } from '../../../testing/fakes/oauth/authorization-server.ts';
import { type ProtectedServer, startProtectedServer } from '../../../testing/fakes/oauth/protected-server.ts';
import type { OAuthSwitches } from '../../../testing/fakes/oauth/switches.ts';
import { openSession } from '../open-session.ts';
import { serverDefinitionSchema } from '../server-definition.ts';
import type { Era, McpSession } from '../session.ts';

const limits = { timeoutMs: 20_000 };
const asClient = ({ issuer }: ProtectedServer) => ({
  clientId: confidentialClient.id,
  clientSecretEnv: 'FILES_SECRET',
  grant: 'client-credentials',
  issuer,
});
const asUser = ({ issuer }: ProtectedServer) => ({ clientId: publicClient, refreshTokenEnv: 'FILES_REFRESH', issuer });

interface Given {
  readonly oauth?: object;
  readonly headers?: Record<string, string>;
  readonly env?: Record<string, string>;
}

function open({ url }: ProtectedServer, { oauth, headers = {}, env = {} }: Given): Promise<McpSession> {
  const definition = serverDefinitionSchema().parse({ url, headers, ...(oauth && { oauth }) });
  const all = { ASSAY_KEYRING: 'off', FILES_SECRET: confidentialClient.secret, ...env };
  return openSession(definition, { directory: process.cwd(), env: all, ...limits });
}

async function fault(opening: Promise<unknown>): Promise<AssayError> {
  const thrown = await opening.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof AssayError) return thrown;
  throw new Error(`expected an error, not ${String(thrown)}`);
}

const eras: readonly Era[] = ['legacy', 'modern'];

describe.each(eras)('a session with a %s server that requires tokens', (era) => {
  it('gets one as the client: for the resource, with the scopes that the server names', async () => {
    const server = await startProtectedServer({}, { era });
    await using session = await open(server, { oauth: asClient(server) });
    expect((await session.listTools(limits)).map(({ name }) => name)).toEqual(['read', 'write', 'echo']);
    const [request, ...more] = server.authorization.tokenRequests;
    expect(more).toEqual([]);
    expect(Object.fromEntries(request ?? [])).toEqual({
      grant_type: 'client_credentials',
      scope: 'files:read',
      resource: server.url,
    });
    expect(server.authorizationHeaders.every((header) => header?.startsWith('Bearer '))).toBe(true);
    const handshake = ['server/discover', 'initialize', 'notifications/initialized'];
    const opening = { legacy: handshake, modern: ['server/discover'] }[era];
    expect([session.facts.era, server.methods]).toEqual([era, [...opening, 'tools/list']]);
  });

  it('steps up to further scopes as the client, and keeps those that it had', async () => {
    const server = await startProtectedServer({}, { era });
    await using session = await open(server, { oauth: asClient(server) });
    expect(await session.callTool('write', {}, limits)).toMatchObject({ kind: 'result' });
    const scopes = server.authorization.tokenRequests.map((request) => request.get('scope'));
    expect(scopes).toEqual(['files:read', 'files:read files:write']);
  });

  it('renews the token of a user once for all requests, each time with the newest refresh token', async () => {
    const server = await startProtectedServer({}, { era });
    const refresh = server.authorization.loginOf(publicClient, server.url);
    await using session = await open(server, { oauth: asUser(server), env: { FILES_REFRESH: refresh } });
    for (const round of [2, 3]) {
      server.authorization.expireAccess();
      const calls = Array.from({ length: 8 }, () => session.callTool('read', {}, limits));
      expect((await Promise.all(calls)).map(({ kind }) => kind)).toEqual(Array(8).fill('result'));
      expect(server.authorization.tokenRequests).toHaveLength(round);
    }
    const used = server.authorization.tokenRequests.map((request) => request.get('refresh_token'));
    expect(new Set(used).size).toBe(3);
    server.authorization.revokeAll();
    const ended = await fault(session.callTool('read', {}, limits));
    expect(ended.code).toBe('MCP_LOGIN_REQUIRED');
    expect(ended.message).toContain('refused the refresh token in FILES_REFRESH');
  });

  it('renews a token before it expires', async () => {
    const server = await startProtectedServer({ expiresInSeconds: 5 }, { era });
    await using session = await open(server, { oauth: asClient(server) });
    const before = server.authorization.tokenRequests.length;
    await session.callTool('read', {}, limits);
    expect(server.authorization.tokenRequests.length).toBe(before + 1);
    expect(server.authorization.switches.takesExpired).toBeUndefined();
  });

  it('takes the token out of whatever the server says', async () => {
    const server = await startProtectedServer({}, { era });
    await using session = await open(server, { oauth: asClient(server) });
    const answer = JSON.stringify(await session.callTool('echo', {}, limits));
    expect(answer).toContain('token ');
    const found = [...server.authorization.secrets].filter((secret) => answer.includes(secret));
    expect(found).toEqual([]);
    expect(answer).not.toMatch(/[A-Za-z0-9_-]{60}/);
  });

  it.each<[string, OAuthSwitches, string]>([
    ['a challenge without an address of metadata', { quietChallenge: true }, ''],
    ['no metadata of the resource, as before RFC 9728', { noResourceMetadata: true }, ''],
    ['an issuer with a path', {}, '/tenant'],
    ['OpenID metadata before the path', { openIdOnly: 'inserted' }, '/tenant'],
    ['OpenID metadata behind the path', { openIdOnly: 'appended' }, '/tenant'],
    ['OpenID metadata without a path', { openIdOnly: 'inserted' }, ''],
  ])('finds the authorization server through %s', async (_, switches, issuerPath) => {
    const server = await startProtectedServer(switches, { issuerPath, era });
    await using session = await open(server, { oauth: asClient(server) });
    expect(session.facts.name).toBe('files');
  });

  it('leaves a server alone whose definition has its own key', async () => {
    const server = await startProtectedServer({}, { era });
    const { code } = await fault(open(server, { headers: { Authorization: 'Bearer my-own-key-123' } }));
    expect(code).toBe('MCP_SERVER_REFUSED');
    expect(new Set(server.authorizationHeaders)).toEqual(new Set(['Bearer my-own-key-123']));
  });

  it('still names a plain refusal where OAuth is not offered', async () => {
    const refused = await fault(open(await startProtectedServer({ noMetadata: true }, { era }), {}));
    expect(refused.code).toBe('MCP_SERVER_REFUSED');
    expect(refused.message).toContain('answered HTTP 401');
  });
});

describe.each(eras)('a token that cannot be had for a %s server', (era) => {
  it.each<[string, OAuthSwitches, string, RegExp]>([
    [
      'metadata of another resource',
      { otherResource: true },
      'MCP_AUTHORIZATION_FAILED',
      /is the metadata of "https:\/\/bank/,
    ],
    [
      'no authorization server',
      { noAuthorizationServers: true },
      'MCP_AUTHORIZATION_FAILED',
      /names no authorization server/,
    ],
    [
      'metadata of another issuer',
      { otherIssuer: true },
      'MCP_AUTHORIZATION_FAILED',
      /metadata of "https:\/\/login.example/,
    ],
    [
      'a token endpoint without TLS',
      { insecureTokenEndpoint: true },
      'MCP_AUTHORIZATION_FAILED',
      /not an https address/,
    ],
    [
      'metadata that moved to another machine without TLS',
      { metadataMovedTo: 'http://metadata.example.com/' },
      'MCP_AUTHORIZATION_FAILED',
      /http:\/\/metadata.example.com\/ is not an https address/,
    ],
    [
      'metadata that moved in a circle',
      { metadataMovedTo: '/.well-known/oauth-protected-resource/mcp' },
      'MCP_AUTHORIZATION_FAILED',
      /redirects more than 3 times/,
    ],
    ['metadata that is a page', { metadataNotJson: true }, 'MCP_AUTHORIZATION_FAILED', /is not a JSON object/],
    ['a token of another type', { tokenType: 'mac' }, 'MCP_AUTHORIZATION_FAILED', /of the type "mac"/],
    ['a token endpoint that redirects', { tokenRedirects: true }, 'MCP_AUTHORIZATION_FAILED', /answered HTTP 307/],
    [
      'a token endpoint that shows a page',
      { tokenPage: true },
      'MCP_AUTHORIZATION_FAILED',
      /without a usable `access_token`/,
    ],
    [
      'tokens for another audience',
      { ignoresResource: true },
      'MCP_SERVER_REFUSED',
      /just issued for it .*another audience/,
    ],
    [
      'a server that refuses every token',
      { refusesTokens: true },
      'MCP_SERVER_REFUSED',
      /just issued for it .*not good enough/,
    ],
    ['tokens that are expired at once', { expiresInSeconds: 0 }, 'MCP_SERVER_REFUSED', /just issued for it .*expired/],
  ])('%s', async (_, switches, code, message) => {
    const server = await startProtectedServer(switches, { era });
    const thrown = await fault(open(server, { oauth: asClient(server) }));
    expect(thrown.code).toBe(code);
    expect(thrown.message).toMatch(message);
    expect(thrown.message).toContain(`The MCP server "${server.url}"`);
    for (const secret of server.authorization.secrets) expect(thrown.message).not.toContain(secret);
  });

  it.each<[string, (server: ProtectedServer) => Given, string, RegExp]>([
    ['no login', () => ({}), 'MCP_LOGIN_REQUIRED', /no keyring \(ASSAY_KEYRING is "off"\)/],
    [
      'a wrong secret',
      (server) => ({ oauth: asClient(server), env: { FILES_SECRET: 'not-the-right-secret' } }),
      'MCP_SERVER_REFUSED',
      /refused the client "service-client": HTTP 401 invalid_client/,
    ],
    [
      'a variable that is not set',
      (server) => ({ oauth: asUser(server) }),
      'MCP_LOGIN_REQUIRED',
      /the environment variable FILES_REFRESH is not set/,
    ],
    [
      'a refresh token that never was',
      (server) => ({ oauth: asUser(server), env: { FILES_REFRESH: 'made-up-refresh-token' } }),
      'MCP_LOGIN_REQUIRED',
      /refused the refresh token in FILES_REFRESH.*invalid_grant/,
    ],
    [
      'credentials of another issuer',
      (server) => ({ oauth: { ...asClient(server), issuer: 'https://login.example.com' } }),
      'MCP_AUTHORIZATION_FAILED',
      /not https:\/\/login.example.com, which the credentials belong to/,
    ],
  ])('%s', async (_, given, code, message) => {
    const server = await startProtectedServer({}, { era });
    const thrown = await fault(open(server, given(server)));
    expect(thrown.code).toBe(code);
    expect(thrown.message).toMatch(message);
    expect(thrown.message).not.toMatch(/not-the-right-secret|made-up-refresh-token/);
    if (code === 'MCP_AUTHORIZATION_FAILED') expect(server.authorization.tokenRequests).toEqual([]);
  });

  it('a refresh token that was used before ends the whole login, as the authorization server decides', async () => {
    const server = await startProtectedServer({}, { era });
    const refresh = server.authorization.loginOf(publicClient, server.url);
    const given = { oauth: asUser(server), env: { FILES_REFRESH: refresh } };
    await using first = await open(server, given);
    expect((await fault(open(server, given))).code).toBe('MCP_LOGIN_REQUIRED');
    expect((await fault(first.callTool('read', {}, limits))).code).toBe('MCP_LOGIN_REQUIRED');
  });

  it('scopes that a user did not grant are named, and the session goes on', async () => {
    const server = await startProtectedServer({}, { era });
    const refresh = server.authorization.loginOf(publicClient, server.url);
    await using session = await open(server, { oauth: asUser(server), env: { FILES_REFRESH: refresh } });
    const thrown = await fault(session.callTool('write', {}, limits));
    expect(thrown.code).toBe('MCP_LOGIN_REQUIRED');
    expect(thrown.message).toContain('the token lacks scopes: "files:write" are needed');
    expect(await session.callTool('read', {}, limits)).toMatchObject({ kind: 'result' });
  });
});

describe('the settings of a server', () => {
  const settings = (oauth: object) => serverDefinitionSchema().safeParse({ url: 'https://example.com/mcp', oauth });

  it.each<[string, object, string]>([
    [
      'a secret in place of its variable',
      { clientId: 'a', clientSecretEnv: 'sk-12-34', issuer: 'https://a.b' },
      'must be the name',
    ],
    [
      'credentials without the issuer that they belong to',
      { clientId: 'a', clientSecretEnv: 'A' },
      'is missing: credentials are sent',
    ],
    [
      'client credentials without a secret',
      { clientId: 'a', grant: 'client-credentials' },
      'needs the secret of a client',
    ],
    ['an unknown key', { clientSecret: 'abc' }, 'Unrecognized key'],
  ])('refuse %s', (_, oauth, message) => {
    expect(settings(oauth).error?.message).toContain(message);
  });
});
