import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../domain/errors.ts';
import { type HttpFake, startHttpServer } from '../../../testing/fakes/mcp/start-http-server.ts';
import { openSession } from '../open-session.ts';
import { type ServerDefinition, serverDefinitionSchema } from '../server-definition.ts';
import type { Era, McpSession } from '../session.ts';

const limits = { timeoutMs: 20_000 };
const soon = { timeoutMs: 150 };
const secret = 'sk-very-secret-4711';
const headers = { authorization: 'Bearer ${KEY}' };
const options = { directory: import.meta.dirname, env: { ...process.env, KEY: secret }, ...limits };

let http: HttpFake;
beforeAll(async () => {
  http = await startHttpServer();
});
afterAll(() => http[Symbol.asyncDispose]());

type Use = (session: McpSession) => Promise<unknown>;
const call: Use = (session) => session.callTool('echo', { text: 'x' }, limits);
const shortCall: Use = (session) => session.callTool('echo', { text: 'x' }, soon);

async function expectFault(work: Promise<unknown>, code: ErrorCode, says: RegExp, definition: ServerDefinition) {
  const error = await work.then(
    () => new Error('it went well'),
    (thrown: unknown) => thrown as Error,
  );
  expect(error).toMatchObject({ code, message: expect.stringMatching(says) });
  expect(error.message).toContain(`"${'url' in definition ? definition.url : ''}"`);
  expect(error.message).not.toContain(secret);
}

describe('an address that is not an MCP server', () => {
  it.each<['shttp' | 'sse', string, ErrorCode, RegExp]>([
    ['shttp', '401', 'MCP_SERVER_REFUSED', /answered HTTP 401 Unauthorized: Key .* is not valid/],
    ['shttp', '403', 'MCP_SERVER_REFUSED', /answered HTTP 403 Forbidden/],
    ['shttp', '404', 'MCP_SERVER_UNREACHABLE', /answered HTTP 404 Not Found: <h1>Not here/],
    ['shttp', '405', 'MCP_SERVER_UNREACHABLE', /answered HTTP 405 Method Not Allowed/],
    ['shttp', '500', 'MCP_SERVER_UNREACHABLE', /answered HTTP 500 Internal Server Error: Database is down/],
    [
      'shttp',
      'web page',
      'MCP_SERVER_UNREACHABLE',
      /answered HTTP 200 with text\/html instead of a message of the protocol: <h1>Welcome/,
    ],
    ['shttp', 'elsewhere', 'MCP_SERVER_UNREACHABLE', /Redirect to http:\/\/localhost:9\/mcp not followed/],
    ['shttp', 'round and round', 'MCP_SERVER_UNREACHABLE', /Redirect to .* not followed/],
    ['sse', '401', 'MCP_SERVER_REFUSED', /answered HTTP 401 Unauthorized: Key .* is not valid/],
    ['sse', '404', 'MCP_SERVER_UNREACHABLE', /answered HTTP 404 Not Found: Not here/],
    ['sse', '500', 'MCP_SERVER_UNREACHABLE', /answered HTTP 500 Internal Server Error: Database is down/],
    ['sse', 'web page', 'MCP_SERVER_UNREACHABLE', /did not begin an event stream: .*content type/i],
    ['sse', 'foreign endpoint', 'MCP_SERVER_UNREACHABLE', /did not begin an event stream: .*origin/],
    ['sse', 'post fails', 'MCP_SERVER_UNREACHABLE', /answered HTTP 500 Internal Server Error: Database is down/],
  ])('%s %s: %s', async (transport, mode, code, says) => {
    const definition = http.define(transport, mode, { headers });
    await expectFault(openSession(definition, options), code, says, definition);
  });

  it('says nothing', async () => {
    const definition = http.define('sse', 'no endpoint');
    const says = /did not begin an event stream within 300 ms/;
    await expectFault(openSession(definition, { ...options, timeoutMs: 300 }), 'MCP_SERVER_TIMEOUT', says, definition);
  });

  it.each(['shttp', 'sse'])('is not there for %s', async (transport) => {
    const definition = serverDefinitionSchema().parse({ transport, url: 'http://127.0.0.1:9/mcp', headers });
    await expectFault(
      openSession(definition, options),
      'MCP_SERVER_UNREACHABLE',
      /ECONNREFUSED|refuse its port/,
      definition,
    );
  });

  it('gets the password of its address, which is not shown', async () => {
    const plain = http.define('shttp', '401');
    const url = 'url' in plain ? plain.url.replace('//', `//user:${secret}@`) : '';
    const definition = serverDefinitionSchema().parse({ url });
    const opening = openSession(definition, options);
    await expectFault(opening, 'MCP_SERVER_REFUSED', /HTTP 401 Unauthorized: Key .* is not valid/, plain);
    const pair = Buffer.from(`user:${secret}`).toString('base64');
    await expect(opening).rejects.not.toThrow(pair);
  });

  it('is called with a header that cannot be sent', async () => {
    const definition = http.define('shttp', 'good', { headers: { 'x-key': '${KEY}\nx' } });
    await expectFault(openSession(definition, options), 'MCP_SERVER_UNREACHABLE', /header "x-key" has/, definition);
  });
});

describe.each<Era>(['legacy', 'modern'])('a %s server over streamable HTTP that goes wrong', (era) => {
  const define = (mode: string, rest: Record<string, unknown> = {}): ServerDefinition =>
    http.define('shttp', mode, rest, era);

  it.each<[string, Use, ErrorCode, RegExp]>([
    ['no answer', shortCall, 'MCP_SERVER_TIMEOUT', /did not answer tools\/call within 150 ms/],
    ['accepted', call, 'MCP_SERVER_UNREACHABLE', /answered HTTP 202 with nothing instead of a message/],
    ['call 401', call, 'MCP_SERVER_REFUSED', /answered HTTP 401 Unauthorized: No /],
    ['call 500', call, 'MCP_SERVER_UNREACHABLE', /answered HTTP 500 Internal Server Error: Database is down/],
    ['no json', call, 'MCP_PROTOCOL_VIOLATED', /answered with something that is not a message/],
    ['no message', call, 'MCP_PROTOCOL_VIOLATED', /answered with something that is not a message/],
    ['stream ends', call, 'MCP_SERVER_DIED', /closed the stream without the answer while tools\/call waited/],
    ['connection breaks', call, 'MCP_SERVER_DIED', /closed the connection without an answer/],
    ['answer breaks', call, 'MCP_SERVER_DIED', /closed the stream without the answer/],
  ])('%s: only that request fails', async (mode, use, code, says) => {
    const definition = define(mode, { headers });
    await using session = await openSession(definition, options);
    await expectFault(use(session), code, says, definition);
    expect(session.broken).toBeUndefined();
    expect((await session.listTools(limits)).length).toBe(7);
  });

  it.each(['huge answer', 'huge event'])('%s: the session is over', async (mode) => {
    const definition = define(mode);
    await using session = await openSession(definition, options);
    const says = /sent a message of more than 16777216 bytes/;
    await expectFault(call(session), 'MCP_PROTOCOL_VIOLATED', says, definition);
    expect(session.broken).toMatchObject({ code: 'MCP_PROTOCOL_VIOLATED' });
  });

  it.each<[string, Record<string, unknown>]>([
    ['nearby', { kind: 'result' }],
    ['call 400', { kind: 'error', code: -32602, message: 'no such tool' }],
  ])('%s: is answered all the same', async (mode, answer) => {
    await using session = await openSession(define(mode), options);
    expect(await call(session)).toMatchObject(answer);
    expect(await session.request(session.aliveMethod, {}, limits)).toMatchObject({ kind: 'result' });
  });
});

describe('a server over streamable HTTP that loses its sessions', () => {
  it('always forgets: only that request fails', async () => {
    const definition = http.define('shttp', 'always forgets', { headers });
    await using session = await openSession(definition, options);
    const says = /no longer knows the session: it answered HTTP 404/;
    await expectFault(call(session), 'MCP_SERVER_DIED', says, definition);
    expect(session.broken).toBeUndefined();
  });

  it('forgets: is answered all the same', async () => {
    await using session = await openSession(http.define('shttp', 'forgets'), options);
    expect(await call(session)).toMatchObject({ kind: 'result' });
  });

  it('is reopened once for all calls of the lost session', async () => {
    const greetings: unknown[] = [];
    const onFrame = (_direction: string, message: unknown): void => {
      if ((message as { method?: string }).method === 'initialize') greetings.push(message);
    };
    await using session = await openSession(http.define('shttp', 'forgotten by all'), { ...options, onFrame });
    await session.callTool('log', { text: 'forget' }, limits);
    const answers = await Promise.all([call(session), call(session), call(session)]);
    expect(answers).toMatchObject([{ kind: 'result' }, { kind: 'result' }, { kind: 'result' }]);
    expect(greetings.length).toBe(2);
  });
});

describe('a server over streamable HTTP without sessions', () => {
  const open = (mode: string, env: Record<string, string> = {}): Promise<McpSession> =>
    openSession(http.define('shttp', mode, {}, 'modern'), { ...options, env: { ...options.env, ...env } });

  it('gets headers that repeat the name and the marked arguments, whatever their text', async () => {
    await using session = await open('good');
    const echoed = async (text: string): Promise<unknown> => {
      const answer = await session.callTool('echo', { text }, limits);
      return answer.kind === 'result' ? answer.result.content : answer.message;
    };
    for (const text of ['plain', ' padded ', 'Hello, 世界', 'two\nlines', '=?base64?literal?=', '', '\u0000'])
      expect(await echoed(text)).toEqual([{ type: 'text', text }]);
    expect(await session.callTool('no such töol', {}, limits)).toMatchObject({ kind: 'error', code: -32602 });
    expect(await session.request('resources/read', { uri: 'note://ä b' }, limits)).toMatchObject({ code: -32601 });
    expect(session.notices()).toEqual([]);
  });

  it('lists its tools when it misses a header, page by page up to an empty cursor', async () => {
    const sent: string[] = [];
    const onFrame = (direction: string, message: unknown): void => {
      if (direction === 'to-server') sent.push((message as { method?: string }).method ?? '');
    };
    await using session = await openSession(http.define('shttp', 'empty cursor', {}, 'modern'), {
      ...options,
      onFrame,
    });
    sent.length = 0;
    expect(await session.callTool('echo', { text: 'milk' }, limits)).toMatchObject({ kind: 'result' });
    expect(sent).toEqual(['tools/call', 'tools/list', 'tools/call']);
  });

  it('has tools whose marks cannot be used, which are left out', async () => {
    await using session = await open('bad marks');
    expect((await session.listTools(limits)).map(({ name }) => name)).toEqual(['tool-4']);
    expect(session.notices()).toEqual([
      expect.stringMatching(/sent 4 tools with an unusable `x-mcp-header`, .*tool-0: /),
    ]);
  });

  it.each<[string, RegExp | undefined]>([
    ['unasked request', /sent 1 requests, which this version of the protocol does not have/],
    ['stream stays open', undefined],
  ])('%s: is overlooked', async (mode, notice) => {
    await using session = await open(mode);
    expect(await call(session)).toMatchObject({ kind: 'result' });
    expect(session.notices()).toEqual(notice ? [expect.stringMatching(notice)] : []);
  });

  it('gives another answer: the request fails', async () => {
    await using session = await open('another answer');
    await expect(call(session)).rejects.toMatchObject({ code: 'MCP_SERVER_DIED' });
    expect(session.notices()).toEqual([expect.stringMatching(/sent 1 answers to unknown requests/)]);
  });

  it('may be required of a server that has sessions', async () => {
    const definition = http.define('shttp', 'good', { protocol: 'modern' });
    const says = /has no version of the protocol from 2026-07-28 on|answered HTTP 404/;
    await expect(openSession(definition, options)).rejects.toThrow(says);
    const older = http.define('shttp', 'good', { protocol: 'legacy' }, 'modern');
    await expect(openSession(older, options)).rejects.toThrow(/has only version 2026-07-28 of the protocol/);
  });
});

describe('a server over an event stream that goes wrong', () => {
  const patient = { reconnectInterval: 100, maxReconnectAttempts: 2 };

  it.each<[string, RegExp[]]>([
    ['no answer', []],
    ['no json', [/sent 1 lines that are not messages/]],
  ])('%s: only that request fails', async (mode, notices) => {
    const definition = http.define('sse', mode);
    await using session = await openSession(definition, options);
    const says = /did not answer tools\/call within 150 ms/;
    await expectFault(shortCall(session), 'MCP_SERVER_TIMEOUT', says, definition);
    // Its answer follows on the same stream, however late the line before it came.
    expect((await session.listTools(limits)).length).toBe(7);
    expect(session.notices()).toEqual(notices.map((notice) => expect.stringMatching(notice)));
  });

  it('drops: calls fail, and the next ones go over a new stream', async () => {
    const definition = http.define('sse', 'drops', patient);
    await using session = await openSession(definition, options);
    await expectFault(call(session), 'MCP_SERVER_DIED', /closed its event stream while tools\/call waited/, definition);
    expect(session.broken).toBeUndefined();
    expect(await call(session)).toMatchObject({ kind: 'result' });
  });

  it('drops and may not be opened again: the session is over', async () => {
    const definition = http.define('sse', 'drops always', { reconnect: false });
    await using session = await openSession(definition, options);
    await expectFault(call(session), 'MCP_SERVER_DIED', /closed its event stream/, definition);
    expect(session.broken).toMatchObject({ code: 'MCP_SERVER_DIED' });
  });

  it('drops for good: the session is over after the last attempt', async () => {
    const definition = http.define('sse', 'drops for good', patient);
    await using session = await openSession(definition, options);
    await expectFault(call(session), 'MCP_SERVER_DIED', /closed its event stream/, definition);
    await expectFault(
      call(session),
      'MCP_SERVER_UNREACHABLE',
      /answered HTTP 503 Service Unavailable: Gone/,
      definition,
    );
    expect(session.broken).toMatchObject({ code: 'MCP_SERVER_UNREACHABLE' });
  });

  it('drops: those who wait for a new stream do so within their limits', async () => {
    const definition = http.define('sse', 'drops always', { ...patient, reconnectInterval: 600_000 });
    await using session = await openSession(definition, options);
    await expectFault(call(session), 'MCP_SERVER_DIED', /closed its event stream/, definition);
    await expectFault(
      shortCall(session),
      'MCP_SERVER_TIMEOUT',
      /Timed out after \d+ ms waiting for a new connection/,
      definition,
    );
    const stop = AbortSignal.timeout(1);
    const stopped = session.callTool('echo', {}, { ...limits, signal: stop });
    await expectFault(stopped, 'INTERRUPTED', /a new connection/, definition);
  });

  it('huge event: the session is over', async () => {
    const definition = http.define('sse', 'huge event', { reconnect: false });
    await using session = await openSession(definition, options);
    const says = /sent a message of more than 16777216 bytes/;
    await expectFault(call(session), 'MCP_PROTOCOL_VIOLATED', says, definition);
  });
});
