import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { clients, send, testedGateway } from '../../testing/fakes/gateway.ts';
import { serve } from '../../testing/support/http-server.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { startScriptedModel } from '../models/scripted/index.ts';

const key = 'sk-the-real-key-0123456789';

/** A gateway with two trials, and everything that reached their provider. */
async function twoTrials() {
  const reached: string[] = [];
  const url = await serve((request, response) => {
    reached.push(`${request.method} ${request.url} ${request.headers.authorization ?? request.headers['x-api-key']}`);
    request.resume().on('end', () => response.end('{}'));
  });
  const gateway = await testedGateway();
  const baseUrl = new URL(`${url}/v1`);
  const [mine, other] = [gateway.open(), gateway.open()];
  return {
    gateway,
    reached,
    mine: { ...mine, address: mine.addRoute({ baseUrl, keys: [key] }) },
    other: { ...other, address: other.addRoute({ baseUrl, keys: ['sk-of-the-other-trial-01234'] }) },
  };
}

/** Sends bytes as they are, and gives what came back until the connection was closed. */
function raw(url: string, bytes: string): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}

const pathOf = (url: string): string => new URL(url).pathname;

describe('an agent that wants more than its own model', () => {
  it.each([
    ['the placeholder of another trial', (_: string, others: string) => ({ authorization: `Bearer ${others}` })],
    ['the key of its provider', () => ({ 'x-api-key': key })],
    [
      'its own placeholder beside that of another trial',
      (own: string, others: string) => ({ 'x-api-key': own, authorization: `Bearer ${others}` }),
    ],
    ['no key', () => ({})],
  ])('is refused with %s, and the attempt is in the trace', async (_, headersOf) => {
    const { mine, other, reached } = await twoTrials();
    const headers = headersOf(mine.address.placeholders[0] ?? '', other.address.placeholders[0] ?? '');
    const response = await fetch(`${mine.address.url}/messages`, {
      method: 'POST',
      headers: { ...headers },
      body: '{}',
    });
    expect(response.status).toBe(401);
    expect(reached).toEqual([]);
    await mine.conclude();
    expect(mine.of('notice')).toMatchObject([{ message: expect.stringContaining('refused a request (HTTP 401)') }]);
    expect(mine.of('model-call')).toEqual([]);
  });

  it.each(['/../admin', '/%2e%2e/admin', '/%252e%252e/admin', '/..%2fadmin', '/a/./b', '/%5c..%5cadmin', '/%zz'])(
    'does not get to %s',
    async (path) => {
      const { gateway, mine, reached } = await twoTrials();
      const head = `GET ${pathOf(mine.address.url)}${path} HTTP/1.1\r\nhost: ${new URL(gateway.url).host}\r\nx-api-key: ${mine.address.placeholders[0]}\r\nconnection: close\r\n\r\n`;
      expect(await raw(gateway.url, head)).toMatch(/^HTTP\/1\.1 400 /);
      expect(reached).toEqual([]);
    },
  );

  it('does not get out of the base URL of its provider', async () => {
    const { gateway, mine, reached } = await twoTrials();
    const [, token] = pathOf(mine.address.url).split('/');
    const headers = { 'x-api-key': mine.address.placeholders[0] ?? '' };
    expect((await fetch(`${gateway.url}/${token}/v2/files`, { headers })).status).toBe(404);
    expect((await fetch(`${gateway.url}/${token}/v1evil`, { headers })).status).toBe(404);
    expect((await fetch(`${gateway.url}/unknown/v1/models`, { headers })).status).toBe(404);
    expect(reached).toEqual([]);
  });

  it('does not reach other hosts', async () => {
    const { gateway, mine, reached } = await twoTrials();
    const authorized = `x-api-key: ${mine.address.placeholders[0]}\r\nconnection: close\r\n\r\n`;
    const path = pathOf(mine.address.url);
    expect(
      await raw(gateway.url, `GET http://evil.test${path}/models HTTP/1.1\r\nhost: evil.test\r\n${authorized}`),
    ).toMatch(/^HTTP\/1\.1 403 /);
    expect(await raw(gateway.url, `CONNECT evil.test:443 HTTP/1.1\r\nhost: evil.test\r\n${authorized}`)).toMatch(
      /^HTTP\/1\.1 405 /,
    );
    expect(reached).toEqual([]);
    // A rebound name, and a page of another site that somehow learned the address.
    for (const headers of ['host: evil.test', `host: ${new URL(gateway.url).host}\r\norigin: http://evil.test`])
      expect(await raw(gateway.url, `GET ${path}/models HTTP/1.1\r\n${headers}\r\n${authorized}`)).toMatch(
        /^HTTP\/1\.1 403 /,
      );
    expect(reached).toEqual([]);
  });

  it('cannot use its address when its trial is over', async () => {
    const { mine } = await twoTrials();
    await mine.conclude();
    expect((await send(mine.address, 'openai-chat', false)).status).toBe(404);
  });
});

describe('an agent that sends what is not a request', () => {
  it.each([
    ['invalid HTTP', 'HELLO\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nnonsense\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('gets 400 for %s, and others go on', async (_, bytes) => {
    const { gateway, mine, reached } = await twoTrials();
    expect(await raw(gateway.url, bytes)).toMatch(/^HTTP\/1\.1 400 /);
    const headers = { 'x-api-key': mine.address.placeholders[0] ?? '' };
    expect((await fetch(`${mine.address.url}/models`, { headers })).status).toBe(200);
    expect(reached).toHaveLength(1);
  });

  it.each(['{"model":', '[]', '"text"', ''])('has its invalid JSON %j judged by the provider', async (body) => {
    await using model = await startScriptedModel({ rules: [{ reply: 'OK' }] });
    const session = (await testedGateway()).open();
    const address = session.addRoute({ baseUrl: new URL(model.url), keys: [key] });
    const headers = { 'x-api-key': address.placeholders[0] ?? '' };
    const response = await fetch(`${address.url}/v1/messages`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    await session.conclude();
    expect(session.of('model-call')).toMatchObject([{ status: 400, model: 'unknown' }]);
  });

  it('is refused with invalid JSON where a limit has to be kept', async () => {
    const { gateway, reached } = await twoTrials();
    const limited = gateway.open({ limits: { maxUsd: 1, costOf: () => 0 } });
    const address = limited.addRoute({ baseUrl: new URL('http://127.0.0.1:9'), keys: [key] });
    const headers = { 'x-api-key': address.placeholders[0] ?? '' };
    const response = await fetch(`${address.url}/v1/messages`, { method: 'POST', headers, body: '{' });
    expect(response.status).toBe(400);
    expect(reached).toEqual([]);
  });

  it('is refused a body that is too large, and the provider never sees it', async () => {
    const { mine, reached } = await twoTrials();
    const headers = { 'x-api-key': mine.address.placeholders[0] ?? '' };
    const body = 'x'.repeat(21 * 1024 * 1024);
    const response = await fetch(`${mine.address.url}/messages`, { method: 'POST', headers, body });
    expect(response.status).toBe(413);
    expect(reached).toEqual([]);
    await mine.conclude();
    expect(mine.of('notice')).toMatchObject([{ message: expect.stringContaining('larger than 20 MB') }]);
  });
});

describe('an agent that takes all it can get', () => {
  it('holds streams open, and is let go when its trial ends', async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n'),
    );
    const gateway = await testedGateway();
    const session = gateway.open();
    const address = session.addRoute({ baseUrl: new URL(url), keys: [key] });
    const open = await Promise.all(Array.from({ length: 64 }, () => send(address, 'openai-chat', true)));
    expect(open.map(({ status }) => status)).toEqual(open.map(() => 200));
    // There is room for so many and not for more; other trials have their own room.
    expect((await send(address, 'openai-chat', true)).status).toBe(429);
    const other = gateway.open();
    expect((await send(other.addRoute({ baseUrl: new URL(url), keys: [key] }), 'openai-chat', true)).status).toBe(200);
    const ended = Promise.allSettled(open.map((response) => response.text()));
    await session.conclude();
    expect((await ended).every(({ status }) => status === 'rejected')).toBe(true);
    expect(session.of('model-call')).toHaveLength(64);
    await other.conclude();
  });

  it('floods the gateway with refused requests, and the trace stays small', {
    timeout: 60_000,
  }, async () => {
    const { mine, other, reached } = await twoTrials();
    const { path, body } = clients['openai-chat'](false);
    const init = {
      method: 'POST',
      headers: { 'x-api-key': other.address.placeholders[0] ?? '' },
      body: JSON.stringify(body),
    };
    const rounds = repetitions({ usual: 8, inFull: 40 });
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(`${mine.address.url}${path}`, init)));
      expect(answers.every(({ status }) => status === 401 || status === 429)).toBe(true);
    }
    await mine.conclude();
    expect(mine.of('notice')).toHaveLength(21);
    expect(mine.of('notice').at(-1)).toMatchObject({
      message: `The gateway refused ${(rounds * 50 - 20).toLocaleString('en')} more requests.`,
    });
    expect(reached).toEqual([]);
  });
});
