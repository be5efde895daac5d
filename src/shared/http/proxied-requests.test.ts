import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bodyOf, listen, serve } from '../../testing/support/http-server.ts';
import { HttpClient } from './http-client.ts';

function send(env: Readonly<Record<string, string>>, url: string) {
  const client = new HttpClient({ env });
  onTestFinished(() => client[Symbol.dispose]());
  const { signal } = new AbortController();
  return client.send({ url: new URL(url), method: 'POST', headers: {}, body: '{}', bodyLimitBytes: 1_000, signal });
}

describe('a request through a proxy', () => {
  it('reaches the proxy whole, with the address of the server and the credentials of the proxy', async () => {
    const received: Pick<IncomingMessage, 'url' | 'headers'>[] = [];
    const proxy = await serve(async (request, response) => {
      received.push(request);
      response.end(await bodyOf(request));
    });
    const env = { HTTP_PROXY: proxy.replace('http://', 'http://ann:secret@') };
    expect((await send(env, 'http://payments.test/pay?now=1')).body).toBe('{}');
    expect(received.map(({ url }) => url)).toEqual(['http://payments.test/pay?now=1']);
    expect(received[0]?.headers).toMatchObject({
      host: 'payments.test',
      'proxy-authorization': `Basic ${Buffer.from('ann:secret').toString('base64')}`,
    });
  });

  it('goes directly where NO_PROXY says so', async () => {
    const url = await serve((_, response) => response.end('direct'));
    const env = { HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: '127.0.0.1' };
    expect((await send(env, url)).body).toBe('direct');
  });

  it('to an https server goes through a tunnel', async () => {
    const requested: (string | undefined)[] = [];
    const server = createServer();
    server.on('connect', (request, socket) => {
      requested.push(request.url);
      // No certificate is at hand: that TLS begins in the tunnel is enough to see.
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.once('data', (hello: Buffer) => {
        requested.push(hello[0] === 0x16 ? 'TLS handshake' : 'something else');
        socket.destroy();
      });
    });
    const proxy = await listen(server, 'http');
    await expect(send({ HTTPS_PROXY: proxy }, 'https://payments.test/pay')).rejects.toMatchObject({
      kind: 'unreachable',
      wasSent: false,
    });
    expect(new Set(requested)).toEqual(new Set(['payments.test:443', 'TLS handshake']));
  });

  it('that refuses the tunnel is a failure that names the proxy', async () => {
    const server = createServer();
    server.on('connect', (_, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'));
    const proxy = await listen(server, 'http');
    await expect(send({ HTTPS_PROXY: proxy }, 'https://payments.test/')).rejects.toMatchObject({
      message: `the proxy ${new URL(proxy).host} refused to connect to payments.test:443: HTTP 407`,
      wasSent: false,
    });
  });
});
