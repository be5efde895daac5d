import { type LookupAddress, lookup } from 'node:dns';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { BlockList, connect, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { endToEndHeaders } from '../../shared/http/end-to-end-headers.ts';
import { type AllowedHost, isAllowed, isLoopback, parseHost } from './network-policy.ts';
import type { RequestWatch } from './request-watch.ts';

const connectTimeoutMs = 30_000;

/** Addresses that a name of the allow-list must not lead to: this machine and the metadata services of clouds. */
const ownAddresses = new BlockList();
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
] as const) {
  ownAddresses.addSubnet(address, bits, 'ipv4');
}
for (const [address, bits] of [
  ['::', 128],
  ['::1', 128],
  ['fe80::', 10],
  ['fd00:ec2::', 32],
] as const) {
  ownAddresses.addSubnet(address, bits, 'ipv6');
}

/** Whether an address is of this machine or of a metadata service, also as IPv4 within IPv6. */
function isOwnAddress({ address, family }: LookupAddress): boolean {
  return ownAddresses.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Finds the addresses of a name. */
type Resolve = typeof lookup;

/** Resolves names outside the trial, and refuses those that lead to this machine. */
function lookupForeign(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || first === undefined) callback(error ?? new Error(`${hostname} has no address`), '', 0);
      else if (addresses.some(isOwnAddress)) callback(new Error(`${hostname} leads to this machine`), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

interface Destination {
  readonly host: string;
  readonly port: number;
}

/** A proxy for HTTP and tunnels that lets requests pass to the allowed hosts only; it listens nowhere itself. */
export class AllowProxy implements Disposable {
  readonly #allowed: readonly AllowedHost[];
  readonly #onRefused: (destination: string) => void;
  readonly #lookup: LookupFunction;
  readonly #watch: RequestWatch | undefined;
  readonly #open = new Set<Duplex>();
  readonly #server = createServer((incoming, response) => this.#forward(incoming, response));

  /** The callback is called for each request that is refused. */
  constructor(
    allowed: readonly AllowedHost[],
    onRefused: (destination: string) => void,
    watch?: RequestWatch,
    resolve: Resolve = lookup,
  ) {
    this.#watch = watch;
    this.#lookup = lookupForeign(resolve);
    this.#allowed = allowed;
    this.#onRefused = onRefused;
    this.#server.on('connect', (incoming, socket, head) => this.#tunnel(incoming, socket, head));
    this.#server.on('clientError', (_, socket) => socket.destroy());
  }

  accept(socket: Socket): void {
    this.#keep(socket);
    this.#server.emit('connection', socket);
  }

  [Symbol.dispose](): void {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
  }

  #keep(socket: Duplex): void {
    this.#open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#open.delete(socket));
  }

  #connection({ host, port }: Destination): { host: string; port: number; lookup?: LookupFunction } {
    return isLoopback(host) ? { host, port } : { host, port, lookup: this.#lookup };
  }

  #refusal({ host, port }: Destination): string | undefined {
    if (isAllowed(this.#allowed, host, port)) return undefined;
    this.#onRefused(`${host}:${port}`);
    return `The network of this trial does not allow ${host}:${port}.\n`;
  }

  #tunnel(incoming: IncomingMessage, client: Duplex, head: Buffer): void {
    const { name: host, port = 443 } = parseHost(incoming.url ?? '');
    const refusal = this.#refusal({ host, port });
    if (refusal !== undefined) {
      endWith(client, 403, 'Forbidden', refusal);
      return;
    }
    // Most are encrypted, so nothing of them is looked at.
    this.#watch?.unread(`${host}:${port}`);
    const server = connect({ ...this.#connection({ host, port }), timeout: connectTimeoutMs });
    this.#keep(server);
    client.once('close', () => server.destroy());
    const fail = (reason: string): void => endWith(client, 502, 'Bad Gateway', `${reason}\n`);
    server.once('timeout', () => server.destroy(new Error(`${host}:${port} did not answer`)));
    server.once('error', ({ message }) => (server.connecting || server.pending ? fail(message) : client.destroy()));
    server.once('connect', () => {
      server.setTimeout(0);
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) server.write(head);
      client.pipe(server);
      server.pipe(client);
      server.once('close', () => client.destroy());
    });
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    const { url = '', method = 'GET' } = incoming;
    if (!url.startsWith('http://') || !URL.canParse(url)) {
      answer(response, 400, 'This is a proxy.\n');
      return;
    }
    const { hostname, port: written, pathname, search, host: authority } = new URL(url);
    const { name: host } = parseHost(hostname);
    const port = Number(written || 80);
    const refusal = this.#refusal({ host, port });
    if (refusal !== undefined) {
      answer(response, 403, refusal);
      return;
    }
    const headers = { ...endToEndHeaders(incoming.headers), host: authority };
    const options = { ...this.#connection({ host, port }), method, path: pathname + search, headers, agent: false };
    const outgoing = request(options, (reply) => {
      response.writeHead(reply.statusCode ?? 502, endToEndHeaders(reply.headers));
      reply.pipe(response);
      reply.once('error', () => response.destroy());
    });
    outgoing.once('error', ({ message }) => {
      if (response.headersSent) response.destroy();
      else answer(response, 502, `${message}\n`);
    });
    response.once('close', () => outgoing.destroy());
    const head = [url, ...incoming.rawHeaders].join('\n');
    const watched = this.#watch?.request(`${host}:${port}`, head, incoming.headers['content-encoding']);
    if (watched) incoming.on('data', (bytes: Buffer) => watched.push(bytes)).once('close', () => watched.end());
    incoming.pipe(outgoing);
  }
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
  response.end(text);
}

function endWith(socket: Duplex, status: number, reason: string, text: string): void {
  const head = `HTTP/1.1 ${status} ${reason}\r\ncontent-type: text/plain\r\nconnection: close\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}
