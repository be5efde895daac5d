import { createServer, type Server, type Socket } from 'node:net';
import { listenOnLoopback } from '../../drive/loopback-server.ts';
import { AllowProxy } from '../../drive/network/allow-proxy.ts';
import { type AllowedHost, parseHost } from '../../drive/network/network-policy.ts';

const mostRefusals = 20;

/** The proxy through which the pages of one trial reach the hosts that its scenario allows, and nothing else. */
export class PageNetwork implements Disposable {
  /** Host and port of the proxy. */
  readonly address: string;
  readonly #server: Server;
  readonly #proxy: AllowProxy;
  readonly #refused: Set<string>;

  private constructor(address: string, server: Server, proxy: AllowProxy, refused: Set<string>) {
    this.address = address;
    this.#server = server;
    this.#proxy = proxy;
    this.#refused = refused;
  }

  static async open(start: URL, allow: readonly string[]): Promise<PageNetwork> {
    const refused = new Set<string>();
    const proxy = new AllowProxy([...hostsOf(start), ...allow.map(parseHost)], (destination) => {
      if (refused.size < mostRefusals) refused.add(destination);
    });
    const server = createServer((socket: Socket) => proxy.accept(socket));
    const { host } = new URL(await listenOnLoopback(server, 0));
    return new PageNetwork(host, server, proxy, refused);
  }

  /** Hosts that pages wanted and did not reach. */
  get refused(): readonly string[] {
    return [...this.#refused];
  }

  [Symbol.dispose](): void {
    this.#server.close();
    this.#proxy[Symbol.dispose]();
  }
}

/** A site of this machine is written in either way. */
function hostsOf({ hostname, port: written, protocol }: URL): AllowedHost[] {
  const port = Number(written || (protocol === 'https:' ? 443 : 80));
  const { name } = parseHost(hostname);
  const isOwn = ['localhost', '127.0.0.1', '::1'].includes(name);
  return (isOwn ? ['localhost', '127.0.0.1', '::1'] : [name]).map((each) => ({ name: each, port }));
}
