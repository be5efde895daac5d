import { describe, expect, it, onTestFinished } from 'vitest';
import { publicClient } from '../../../testing/fakes/oauth/authorization-server.ts';
import { type ProtectedServer, startProtectedServer } from '../../../testing/fakes/oauth/protected-server.ts';
import { Authorizations } from '../authorization/authorizations.ts';
import { type HttpServerDefinition, isHttpServer, serverDefinitionSchema } from '../server-definition.ts';
import { LoginRelays } from './login-relays.ts';

const env = { ASSAY_KEYRING: 'off' };

/** The relay in front of a server, for a user who may only read. */
async function relayTo({ url, issuer, authorization }: ProtectedServer) {
  const login = authorization.loginOf(publicClient, url, ['files:read']);
  const oauth = { clientId: publicClient, refreshTokenEnv: 'LOGIN', issuer };
  const definition = serverDefinitionSchema().parse({ url, oauth });
  const relays = await LoginRelays.open(
    { files: { definition } },
    { authorizations: new Authorizations(), env: { ...env, LOGIN: login } },
  );
  onTestFinished(() => relays[Symbol.asyncDispose]());
  const reached = relays.servers.files?.definition;
  if (!reached || !isHttpServer(reached)) throw new Error('There is no relay.');
  return { relays, reached };
}

function call({ url, headers }: Pick<HttpServerDefinition, 'url' | 'headers'>, tool: string): Promise<Response> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool } };
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

describe('a relay to a server that requires a login', () => {
  it('adds the token, and takes it out of the answers and of all that the proxy gets', async () => {
    const server = await startProtectedServer();
    const { reached } = await relayTo(server);
    const answer = await call(reached, 'echo');
    expect(await answer.json()).toMatchObject({ result: { content: [{ text: 'token [redacted] [redacted]' }] } });
    const handed = JSON.stringify(reached) + JSON.stringify([...answer.headers]);
    expect([...server.authorization.secrets].filter((secret) => handed.includes(secret))).toEqual([]);
    expect(reached.oauth).toBeUndefined();
  });

  it('serves no other program, and leads to no other address', async () => {
    const server = await startProtectedServer();
    const { reached } = await relayTo(server);
    expect((await call({ ...reached, headers: {} }, 'read')).status).toBe(404);
    const elsewhere = new URL('/token', reached.url).href;
    expect((await call({ ...reached, url: elsewhere }, 'read')).status).toBe(404);
    expect(server.methods).toEqual([]);
  });

  it('reports that the login does not allow a call', async () => {
    const { reached, relays } = await relayTo(await startProtectedServer());
    const refused = await call(reached, 'write');
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('files:write');
    expect(relays.faultsOf('files')).toMatchObject([{ code: 'MCP_LOGIN_REQUIRED' }]);
  });

  it('is not opened without a login', async () => {
    const { url } = await startProtectedServer();
    const definition = serverDefinitionSchema().parse({ url });
    const opening = LoginRelays.open({ files: { definition } }, { authorizations: new Authorizations(), env });
    await expect(opening).rejects.toMatchObject({
      code: 'MCP_LOGIN_REQUIRED',
      message: expect.stringContaining('"files" requires'),
    });
  });
});
