import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AllowProxy } from './allow-proxy.ts';
import { isAllowed, networkSchema, parseHost } from './network-policy.ts';

const service = createServer((incoming, response) => {
  response.end(`${incoming.method} ${incoming.url} ${incoming.headers.host} ${incoming.headers['proxy-connection']}`);
});
let port = 0;
beforeAll(async () => {
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  port = (service.address() as AddressInfo).port;
});
afterAll(() => {
  service.close();
  service.closeAllConnections();
});

/** Names that lead to this machine and to a metadata service. */
const addresses: Readonly<Record<string, string>> = { 'inside.test': '127.0.0.1', 'metadata.test': '169.254.169.254' };

async function openProxy(...allowed: string[]) {
  const refused: string[] = [];
  const resolve = (host: string, _: unknown, callback: (error: Error | null, found: object[]) => void): void => {
    callback(null, [{ address: addresses[host] ?? '', family: 4 }]);
  };
  const proxy = new AllowProxy(allowed.map(parseHost), (host) => refused.push(host), resolve as never);
  const listener = createTcpServer((socket: Socket) => proxy.accept(socket));
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const at = { host: '127.0.0.1', port: (listener.address() as AddressInfo).port };
  return {
    refused,
    async get(url: string) {
      const sent = request({ ...at, path: url, headers: { host: 'forged.test', 'proxy-connection': 'keep' } }).end();
      const [response] = await once(sent, 'response');
      return `${response.statusCode} ${await text(response)}`;
    },
    async tunnel(target: string) {
      const socket = connect(at);
      socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`);
      const [first] = (await once(socket, 'data')) as [Buffer];
      if (!first.includes(' 200 ')) return first.toString();
      socket.write('GET /deep HTTP/1.1\r\nhost: in-tunnel\r\nconnection: close\r\n\r\n');
      return await text(socket);
    },
    [Symbol.dispose]() {
      listener.close();
      proxy[Symbol.dispose]();
    },
  };
}

describe('the proxy of a trial', () => {
  it('passes requests and tunnels to allowed hosts', async () => {
    using proxy = await openProxy(`localhost:${port}`);
    expect(await proxy.get(`http://localhost:${port}/a?b=1`)).toBe(`200 GET /a?b=1 localhost:${port} undefined`);
    expect(await proxy.tunnel(`LOCALHOST.:${port}`)).toContain('GET /deep in-tunnel');
    expect(proxy.refused).toEqual([]);
  });

  it('refuses all others, and says so', async () => {
    using proxy = await openProxy(`localhost:${port}`);
    expect(await proxy.get(`http://127.0.0.1:${port}/`)).toMatch(/^403 .*does not allow 127\.0\.0\.1:/);
    expect(await proxy.get('http://169.254.169.254/latest/meta-data')).toMatch(/^403 /);
    expect(await proxy.tunnel('localhost:1')).toContain('403 Forbidden');
    expect(await proxy.get('/not-a-proxy-request')).toMatch(/^400 /);
    expect(proxy.refused).toEqual([`127.0.0.1:${port}`, '169.254.169.254:80', 'localhost:1']);
  });

  it('does not let a name lead to this machine or to a metadata service', async () => {
    using proxy = await openProxy(`inside.test:${port}`, 'metadata.test');
    expect(await proxy.get(`http://inside.test:${port}/`)).toBe('502 inside.test leads to this machine\n');
    expect(await proxy.get('http://metadata.test/')).toBe('502 metadata.test leads to this machine\n');
    expect(await proxy.tunnel('metadata.test:443')).toContain('502 Bad Gateway');
  });
});

describe('an allow-list', () => {
  it.each([
    ['example.com', 'example.com', 443, true],
    ['example.com', 'EXAMPLE.com.', 80, true],
    ['example.com', 'example.com', 8080, false],
    ['example.com', 'www.example.com', 443, false],
    ['example.com', 'badexample.com', 443, false],
    ['*.example.com', 'a.b.example.com', 443, true],
    ['*.example.com', 'example.com', 443, false],
    ['example.com:8080', 'example.com', 8080, true],
    ['example.com:8080', 'example.com', 443, false],
    ['[::1]:8080', '::1', 8080, true],
  ])('%s and %s:%i', (entry, host, wanted, expected) => {
    expect(isAllowed([parseHost(entry)], host, wanted)).toBe(expected);
  });

  it.each(['http://example.com', 'example.com/path', 'a b', '', '*', 'example.com:0', 'example.com:70000', 'a:b:c'])(
    'does not take %j',
    (entry) => {
      expect(networkSchema.safeParse({ allow: [entry] }).success).toBe(false);
    },
  );
});
