import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bodyOf, serve } from '../../testing/support/http-server.ts';
import { HttpClient, type HttpRequest } from './http-client.ts';

function requestTo(url: string, rest: Partial<HttpRequest> = {}): HttpRequest {
  const { signal } = new AbortController();
  return { url: new URL(url), method: 'POST', headers: {}, body: '{}', bodyLimitBytes: 100_000, signal, ...rest };
}

function client(unsentPausesMs: readonly number[] = [50, 200]): HttpClient {
  const opened = new HttpClient({ env: {}, unsentPausesMs });
  onTestFinished(() => opened[Symbol.dispose]());
  return opened;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('a request', () => {
  it('is sent again when no server listened, until one does', async () => {
    const port = await freePort();
    const requests: string[] = [];
    const server = createServer(async (request, response) => {
      requests.push(await bodyOf(request));
      response.end('Hi');
    });
    onTestFinished(() => void server.close());
    const answer = client().send(requestTo(`http://127.0.0.1:${port}`));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    expect((await answer).body).toBe('Hi');
    expect(requests).toEqual(['{}']);
  });

  it('is given up when no server listens', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await expect(client().send(requestTo(url))).rejects.toMatchObject({ kind: 'unreachable', wasSent: false });
  });

  it('ends nothing but itself when it is given up before the connection failed', async () => {
    const broken: unknown[] = [];
    const note = (error: unknown): void => void broken.push(error);
    process.on('uncaughtExceptionMonitor', note);
    onTestFinished(() => void process.off('uncaughtExceptionMonitor', note));
    const url = `http://127.0.0.1:${await freePort()}`;
    const agent = client();
    const wish = new AbortController();
    const given = agent.send(requestTo(url, { signal: wish.signal }));
    wish.abort();
    await expect(given).rejects.toThrow();
    // Refused later than the first one.
    await expect(agent.send(requestTo(url))).rejects.toMatchObject({ kind: 'unreachable' });
    expect(broken).toEqual([]);
  });

  it.each<[string, RequestListener]>([
    ['resets the connection', (request) => void request.socket.resetAndDestroy()],
    ['closes the connection', (request) => void request.socket.destroy()],
  ])('is not sent again when the server has it and %s, not even on a kept connection', async (_, fail) => {
    let received = 0;
    const ports = new Set<unknown>();
    const url = await serve(async (request, response) => {
      received++;
      await bodyOf(request);
      const isKept = ports.has(request.socket.remotePort);
      ports.add(request.socket.remotePort);
      if (isKept) fail(request, response);
      else response.end('Hi');
    });
    const agent = client();
    let sent = 0;
    let failure: unknown;
    while (failure === undefined) {
      sent++;
      await agent.send(requestTo(url)).catch((error: unknown) => {
        failure = error;
      });
    }
    expect(failure).toMatchObject({ kind: 'unreachable', wasSent: true });
    expect(received).toBe(sent);
  });

  it('goes over a new connection when the server has closed the kept one', async () => {
    let count = 0;
    const url = await serve((request, response) => {
      count++;
      response.end('Hi', () => request.socket.end());
    });
    const agent = client();
    for (let turn = 1; turn <= 50; turn++) expect((await agent.send(requestTo(url))).body).toBe('Hi');
    expect(count).toBe(50);
  });

  it('gets its answer also after interim ones', async () => {
    const server = createTcpServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-name: Zo\xeb\r\n\r\nHi', 'latin1');
        });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const headers = { expect: '100-continue', 'keep-alive': 'timeout=5' };
    const answer = await client().send(requestTo(`http://127.0.0.1:${port}`, { headers }));
    expect(answer).toMatchObject({ status: 200, body: 'Hi', headers: { 'x-name': 'Zoë' } });
  });
});
