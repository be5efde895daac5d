import { request as forward } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFake, startHttpServer } from '../../../testing/fakes/mcp/start-http-server.ts';
import { serve } from '../../../testing/support/http-server.ts';
import { openSession } from '../open-session.ts';
import { isHttpServer, type ServerDefinition } from '../server-definition.ts';
import type { Era } from '../session.ts';

const limits = { timeoutMs: 20_000 };

let http: HttpFake;
beforeAll(async () => {
  http = await startHttpServer();
});
afterAll(() => http[Symbol.asyncDispose]());

/** A proxy that sends all hosts to this machine; the hosts are in `reached`. */
async function startProxy(): Promise<{ readonly proxy: string; readonly reached: Set<string> }> {
  const reached = new Set<string>();
  const proxy = await serve((request, response) => {
    const { hostname, port, pathname, search } = new URL(request.url ?? '');
    reached.add(hostname);
    const { method, headers } = request;
    const outgoing = forward({ host: '127.0.0.1', port, path: `${pathname}${search}`, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    request.pipe(outgoing);
  });
  return { proxy, reached };
}

function elsewhere(definition: ServerDefinition): ServerDefinition {
  if (!isHttpServer(definition)) return definition;
  return { ...definition, url: definition.url.replace('127.0.0.1', 'mcp.test') };
}

async function echoed(definition: ServerDefinition, env: Readonly<Record<string, string>>): Promise<unknown> {
  const directory = import.meta.dirname;
  await using session = await openSession(definition, { directory, env: { ...process.env, ...env }, ...limits });
  expect((await session.listTools(limits)).length).toBe(7);
  return await session.callTool('echo', { text: 'far away' }, limits);
}

describe('an MCP server behind a proxy of the environment', () => {
  it.each<[Era, 'shttp' | 'sse']>([
    ['legacy', 'shttp'],
    ['modern', 'shttp'],
    ['legacy', 'sse'],
  ])('is reached through it: %s %s', async (era, transport) => {
    const { proxy, reached } = await startProxy();
    const definition = http.define(transport, 'good', {}, era);
    const answer = await echoed(elsewhere(definition), { HTTP_PROXY: proxy, NO_PROXY: '' });
    expect(JSON.stringify(answer)).toContain('far away');
    expect([...reached]).toEqual(['mcp.test']);
  });

  it('is reached directly on this machine', async () => {
    const answer = await echoed(http.define('shttp', 'good'), { HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: '' });
    expect(JSON.stringify(answer)).toContain('far away');
  });

  it('is named when the proxy cannot be reached', async () => {
    const definition = elsewhere(http.define('shttp', 'good'));
    const opening = echoed(definition, { HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: '' });
    await expect(opening).rejects.toMatchObject({
      code: 'MCP_SERVER_UNREACHABLE',
      message: expect.stringMatching(/mcp\.test.*ECONNREFUSED/),
    });
  });
});
