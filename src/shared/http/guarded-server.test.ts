import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { loopbackServer } from './guarded-server.ts';

async function opened(headersTimeoutMs?: number): Promise<number> {
  const server = loopbackServer((_, response) => void response.end('answered'), { headersTimeoutMs });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

async function statusOf(port: number, headers: Record<string, string>): Promise<number | undefined> {
  const sent = request({ port, host: '127.0.0.1', method: 'POST', path: '/v1/traces', headers });
  sent.end();
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
}

it('answers under its own names only, and no page of another site', async () => {
  const port = await opened();
  const own = `localhost:${port}`;
  for (const headers of [{}, { host: own }, { host: own, origin: `http://${own}`, 'sec-fetch-site': 'same-origin' }])
    expect(await statusOf(port, headers)).toBe(200);
  for (const headers of [
    { host: 'rebound.example' },
    { host: `rebound.example:${port}` },
    { host: `${own}.evil.example` },
    { host: `127.0.0.1:${port + 1}` },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])
    expect([headers, await statusOf(port, headers)]).toEqual([headers, 403]);
});

it('closes connections whose headers do not arrive', async () => {
  const socket = connect(await opened(100), '127.0.0.1');
  socket.resume();
  socket.write('GET / HTTP/1.1\r\nhost: ');
  await once(socket, 'close');
});
