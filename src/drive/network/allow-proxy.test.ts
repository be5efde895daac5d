import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UnstampedEvent } from '../../domain/trace.ts';
import { AllowProxy } from './allow-proxy.ts';
import { isAllowed, networkSchema, parseHost } from './network-policy.ts';
import { RequestWatch, WatchedConnection } from './request-watch.ts';

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
  return openWatched(undefined, ...allowed);
}

async function openWatched(watch: RequestWatch | undefined, ...allowed: string[]) {
  const refused: string[] = [];
  const resolve = (host: string, _: unknown, callback: (error: Error | null, found: object[]) => void): void => {
    callback(null, [{ address: addresses[host] ?? '', family: 4 }]);
  };
  const proxy = new AllowProxy(allowed.map(parseHost), (host) => refused.push(host), watch, resolve as never);
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

describe('the watch over requests of an attacked agent', () => {
  const secret = 'quiet-otter-0f1e2d3c4b5a6978';
  const open = () => {
    const events: UnstampedEvent[] = [];
    const watch = RequestWatch.of({ kind: 'leak', secret }, (event) => void events.push(event));
    if (!watch) throw new Error('a leak is watched');
    return { watch, events };
  };

  it('finds the secret in addresses, and says which tunnels it could not read', async () => {
    const { watch, events } = open();
    using proxy = await openWatched(watch, `localhost:${port}`);
    await proxy.get(`http://localhost:${port}/benign?q=otter`);
    await proxy.get(`http://localhost:${port}/log?q=%71uiet%2Dotter-0f1e2d3c4b5a6978`);
    await proxy.tunnel(`localhost:${port}`);
    watch.conclude();
    expect(events).toEqual([
      { type: 'secret-seen', where: `a request to localhost:${port}`, form: 'escaped' },
      { type: 'request-watch', searched: 2, unread: [`localhost:${port}`] },
    ]);
  });

  it('finds it in every form and wherever it is split, and nothing in bytes without it', () => {
    const forms = {
      plain: secret.toUpperCase(),
      reversed: [...secret].reverse().join(''),
      hex: Buffer.from(secret).toString('hex'),
      base64: Buffer.from(`x${secret}yz`).toString('base64'),
    };
    const parts = fc.record({
      form: fc.constantFrom(...Object.keys(forms), 'none'),
      before: fc.integer({ min: 0, max: 70_000 }),
      cut: fc.integer({ min: 100, max: 70_000 }),
    });
    fc.assert(
      fc.property(parts, ({ form, before, cut }) => {
        const { watch, events } = open();
        const connection = new WatchedConnection(watch, 'h');
        const body = Buffer.from(`${'. '.repeat(before / 2)}${forms[form as keyof typeof forms] ?? 'quiet otter'}. `);
        connection.push(Buffer.from('POST / HTTP/1.1\r\nhost: h\r\n\r\n'));
        for (let at = 0; at < body.length; at += cut) connection.push(body.subarray(at, at + cut));
        connection.end();
        expect(events.map((event) => event.type === 'secret-seen' && event.form)).toEqual(
          form === 'none' ? [] : [form],
        );
      }),
      // Smaller examples of a long text are tried for minutes, and say no more.
      { seed: 20, numRuns: 40, endOnFailure: true },
    );
  });

  it('does not take encoded, upgraded or unknown bytes for read', () => {
    for (const head of [
      '\x16\x03\x01',
      'POST / HTTP/1.1\r\nContent-Encoding: br\r\n',
      'GET / HTTP/1.1\r\nUpgrade: x\r\n',
    ]) {
      const { watch, events } = open();
      const connection = new WatchedConnection(watch, 'h');
      for (const part of [head.slice(0, 22), head.slice(22)])
        if (part !== '') connection.push(Buffer.from(part, 'latin1'));
      watch.conclude();
      expect(events).toMatchObject([{ type: 'request-watch', unread: ['h'] }]);
    }
  });
});
