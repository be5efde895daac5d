import { describe, expect, it } from 'vitest';
import { confidentialClient, publicClient } from '../../../testing/fakes/oauth/authorization-server.ts';
import { type ProtectedServer, startProtectedServer } from '../../../testing/fakes/oauth/protected-server.ts';
import type { OAuthSwitches } from '../../../testing/fakes/oauth/switches.ts';
import { WireError } from '../wire/wire.ts';
import { s256 } from './authorization-code.ts';
import { KeptLogins } from './kept-login.ts';
import type { Keyring } from './keyring.ts';
import { logOut } from './log-out.ts';
import { type Login, logIn } from './login.ts';
import { oauthSettingsSchema } from './oauth-settings.ts';

/** A keyring that forgets everything with the test. */
function keyringInMemory(): { readonly keyring: Keyring; readonly entries: Map<string, string> } {
  const entries = new Map<string, string>();
  const keyring: Keyring = {
    get: async (account) => entries.get(account),
    set: async (account, value) => void entries.set(account, value),
    delete: async (account) => entries.delete(account),
  };
  return { keyring, entries };
}

interface Given {
  readonly oauth?: object;
  readonly scopes?: readonly string[];
  readonly keyring?: Keyring;
  readonly timeoutMs?: number;
  /** Text that the user pastes instead of a browser that comes back. */
  readonly paste?: (answer: string) => string;
}

/** Logs in as a user whose browser follows every redirect. */
function enter({ url }: ProtectedServer, given: Given = {}): Promise<Login> {
  const { oauth, scopes = [], keyring, timeoutMs = 20_000, paste } = given;
  let onPage: (page: URL) => void = () => undefined;
  const page = new Promise<URL>((resolve) => {
    onPage = resolve;
  });
  return logIn({
    url: new URL(url),
    settings: oauth && oauthSettingsSchema().parse(oauth),
    env: { FILES_SECRET: confidentialClient.secret },
    scopes,
    logins: keyring && new KeptLogins(keyring),
    timeoutMs,
    signal: new AbortController().signal,
    show: (address) => {
      onPage(address);
      if (!paste) void fetch(address);
    },
    pasted: async () => {
      if (!paste) return new Promise(() => undefined);
      const { headers } = await fetch(await page, { redirect: 'manual' });
      return paste(headers.get('location') ?? '');
    },
  });
}

async function faultOf(login: Promise<unknown>): Promise<{ readonly code: string; readonly what: string }> {
  const thrown = await login.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof WireError) return thrown.end;
  throw new Error(`expected a fault, not ${String(thrown)}`);
}

describe('a login', () => {
  it('registers Assay as a native application, and binds code and token to this login and this server', async () => {
    const server = await startProtectedServer();
    const login = await enter(server, { scopes: ['files:write'] });
    const { registrations, authorizations, tokenRequests } = server.authorization;
    expect(registrations).toMatchObject([{ application_type: 'native', token_endpoint_auth_method: 'none' }]);
    const [request] = authorizations;
    expect(request?.get('scope')).toBe('files:read files:write offline_access');
    expect(request?.get('resource')).toBe(server.url);
    expect(request?.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const [exchange] = tokenRequests;
    expect(exchange?.get('resource')).toBe(server.url);
    expect(s256(exchange?.get('code_verifier') ?? '')).toBe(request?.get('code_challenge'));
    expect(login).toMatchObject({ issuer: server.issuer, resource: server.url });
    expect(login.scopes).toEqual(['files:read', 'files:write', 'offline_access']);
  });

  it('is kept with its issuer; a registration serves again there, and nowhere else', async () => {
    const { keyring, entries } = keyringInMemory();
    const [one, other] = [await startProtectedServer(), await startProtectedServer()];
    for (const server of [one, one, other]) await enter(server, { keyring });
    expect(one.authorization.registrations).toHaveLength(1);
    expect(other.authorization.registrations).toHaveLength(1);
    const accounts = [one, other].flatMap(({ issuer, url }) => [`mcp-client ${issuer}`, `mcp-login ${issuer} ${url}`]);
    expect([...entries.keys()]).toEqual(accounts);
  });

  it('with further scopes keeps those of the login that it replaces', async () => {
    const { keyring } = keyringInMemory();
    const server = await startProtectedServer();
    for (const scopes of [['files:write'], ['files:delete'], []]) await enter(server, { keyring, scopes });
    expect(server.authorization.authorizations.map((request) => request.get('scope'))).toEqual([
      'files:read files:write offline_access',
      'files:read files:write offline_access files:delete',
      'files:read offline_access',
    ]);
  });

  it('ends with the keyring and at the authorization server', async () => {
    const { keyring, entries } = keyringInMemory();
    const server = await startProtectedServer();
    const { accessToken = '' } = await enter(server, { keyring });
    expect(server.authorization.validate(accessToken, server.url)).toMatchObject({ resource: server.url });
    const options = { url: new URL(server.url), settings: undefined, env: {}, signal: new AbortController().signal };
    const logins = new KeptLogins(keyring);
    expect(await logOut({ ...options, logins })).toMatchObject({ wasLoggedIn: true, isRevoked: true });
    expect(entries.size).toBe(0);
    expect(server.authorization.validate(accessToken, server.url)).toBe('the token was revoked');
    expect(await logOut({ ...options, logins })).toMatchObject({ wasLoggedIn: false });
  });

  it('works with a client that was registered by hand, and with a metadata document', async () => {
    const server = await startProtectedServer({ takesMetadataDocuments: true, noRegistration: true });
    const clients = [publicClient, 'https://tools.example.com/assay.json'];
    for (const clientId of clients) expect((await enter(server, { oauth: { clientId } })).clientId).toBe(clientId);
    expect(server.authorization.registrations).toEqual([]);
  });

  it('takes the address that the user pastes', async () => {
    const login = await enter(await startProtectedServer(), { paste: (answer) => `  ${answer}\n` });
    expect(login.refreshToken).toBeDefined();
  });

  it.each<[string, OAuthSwitches, Given, string, RegExp]>([
    [
      'an authorization server without PKCE',
      { noPkceMetadata: true },
      {},
      'MCP_AUTHORIZATION_FAILED',
      /does not name S256/,
    ],
    [
      'a login page that is a script',
      { loginPage: 'javascript:alert(1)' },
      {},
      'MCP_AUTHORIZATION_FAILED',
      /`authorization_endpoint` in .* is not an address: "javascript:/,
    ],
    [
      'a login page without TLS on another machine',
      { loginPage: 'http://login.example.com/authorize' },
      {},
      'MCP_AUTHORIZATION_FAILED',
      /not an https address/,
    ],
    ['no way to register', { noRegistration: true }, {}, 'MCP_LOGIN_REQUIRED', /set `oauth.clientId`/],
    [
      'no way to register but by a metadata document',
      { noRegistration: true, takesMetadataDocuments: true },
      {},
      'MCP_LOGIN_REQUIRED',
      /knows clients by a metadata document: publish one with the redirect URI http:\/\/127\.0\.0\.1/,
    ],
    [
      'a refused registration',
      { refusesRegistration: true },
      {},
      'MCP_AUTHORIZATION_FAILED',
      /invalid_redirect_uri: only https/,
    ],
    [
      'a metadata document that is not taken',
      {},
      { oauth: { clientId: 'https://a.example/assay.json' } },
      'MCP_AUTHORIZATION_FAILED',
      /does not take metadata documents/,
    ],
    ['an answer to another login', { otherState: true }, {}, 'MCP_AUTHORIZATION_FAILED', /wrong `state`/],
    ['an answer without state', { dropsState: true }, {}, 'MCP_AUTHORIZATION_FAILED', /wrong `state`/],
    [
      'an answer from another issuer',
      { otherIss: true },
      {},
      'MCP_AUTHORIZATION_FAILED',
      /comes from https:\/\/login.example.com/,
    ],
    [
      'an answer that hides its issuer',
      { missingIss: true },
      {},
      'MCP_AUTHORIZATION_FAILED',
      /does not name its issuer/,
    ],
    [
      'an error from another issuer',
      { otherIss: true, denies: true },
      {},
      'MCP_AUTHORIZATION_FAILED',
      /^(?!.*access_denied).*comes from/,
    ],
    ['a user who refuses', { denies: true }, {}, 'MCP_LOGIN_REQUIRED', /access_denied: the user refused/],
    [
      'pasted text of another kind',
      {},
      { paste: () => 'http://127.0.0.1:1/callback?code=1' },
      'MCP_LOGIN_REQUIRED',
      /is not the address/,
    ],
    ['no answer in time', { showsPage: true }, { timeoutMs: 50 }, 'MCP_LOGIN_REQUIRED', /no answer within 0.05 s/],
  ])('is not made through %s', async (_, switches, given, code, message) => {
    const { keyring, entries } = keyringInMemory();
    const server = await startProtectedServer(switches);
    const fault = await faultOf(enter(server, { ...given, keyring }));
    expect(fault).toMatchObject({ code, what: expect.stringMatching(message) });
    expect(server.authorization.tokenRequests).toEqual([]);
    expect([...entries.keys()].filter((account) => account.startsWith('mcp-login'))).toEqual([]);
  });

  it('does not reveal a code that the token endpoint refuses', async () => {
    const server = await startProtectedServer({ tokenPage: true });
    const { what } = await faultOf(enter(server));
    expect(what).toContain('without a usable `access_token`');
    for (const secret of server.authorization.secrets) expect(what).not.toContain(secret);
  });
});
