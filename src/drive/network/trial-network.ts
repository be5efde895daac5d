import type { Server, Socket } from 'node:net';
import { connect } from 'node:net';
import { AllowProxy } from './allow-proxy.ts';
import { listenInNamespace } from './namespace-listeners.ts';
import { type AllowedHost, isLoopback } from './network-policy.ts';
import { type RequestWatch, WatchedConnection } from './request-watch.ts';

/** A loopback port of the trial, and who answers there. */
interface ForwardedPort {
  readonly port: number;
  readonly accept: (socket: Socket) => void;
}

export interface TrialNetworkRequest {
  /** The gateway to the model; undefined where the agent has none, or must not reach it. */
  readonly gateway: { readonly url: string; accept(socket: Socket): void } | undefined;
  readonly allowed: readonly AllowedHost[];
  /** Called for each request that the proxy refuses. */
  readonly onRefused: (destination: string) => void;
  /** Looks at the requests that pass; undefined where nothing is looked for. */
  readonly watch?: RequestWatch | undefined;
  /** Hosts of the same network, which are not reached through the proxy. */
  readonly direct?: readonly string[];
}

const usualProxyPort = 3_128;
const mostConnections = 1_000;
/** Time in which connections of an agent that has ended are read to their end. */
const drainMs = 2_000;

/** The separate network of one trial: nothing but the doors that Assay opens on its loopback. */
export class TrialNetwork implements Disposable {
  readonly #doors: readonly ForwardedPort[];
  readonly #proxy: AllowProxy | undefined;
  readonly #proxyPort: number | undefined;
  readonly #direct: readonly string[];
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();

  constructor({ gateway, allowed, onRefused, watch, direct = [] }: TrialNetworkRequest) {
    this.#direct = direct;
    const doors: ForwardedPort[] = localPorts(allowed).map((port) => ({
      port,
      accept: (socket) => passOn(socket, port, watch),
    }));
    if (gateway) {
      const port = Number(new URL(gateway.url).port);
      if (!doors.some((door) => door.port === port)) doors.push({ port, accept: (socket) => gateway.accept(socket) });
    }
    if (allowed.length > 0) {
      const proxy = new AllowProxy(allowed, onRefused, watch);
      this.#proxy = proxy;
      this.#proxyPort = freePort(doors);
      doors.push({ port: this.#proxyPort, accept: (socket) => proxy.accept(socket) });
    }
    this.#doors = doors;
  }

  /** The environment with the proxy of the trial in place of those of the user. */
  environment(env: Readonly<Record<string, string>>): Record<string, string> {
    const others = Object.entries(env).filter(([name]) => !/^(https?|all|ftp|no)_proxy$/i.test(name));
    return { ...Object.fromEntries(others), ...this.#proxyVariables() };
  }

  /** Opens the doors in the network namespace of a process. */
  async enter(pid: number): Promise<void> {
    const servers = await listenInNamespace(
      pid,
      this.#doors.map(({ port }) => port),
    );
    for (const { port, accept } of this.#doors) {
      const server = servers.get(port);
      if (!server) continue;
      server.maxConnections = mostConnections;
      server.on('connection', (socket: Socket) => this.#accept(socket, accept));
      this.#servers.push(server);
    }
  }

  /** Resolves when everything that the agent sent has been passed on, or with false where that takes too long. */
  async drained(): Promise<boolean> {
    const closed = [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), drainMs);
    });
    return Promise.race([Promise.all(closed).then(() => true), late]).finally(() => clearTimeout(timer));
  }

  [Symbol.dispose](): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#proxy?.[Symbol.dispose]();
  }

  #accept(socket: Socket, accept: ForwardedPort['accept']): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    accept(socket);
  }

  #proxyVariables(): Record<string, string> {
    if (this.#proxyPort === undefined) return {};
    const address = `http://127.0.0.1:${this.#proxyPort}`;
    const direct = ['localhost', '127.0.0.1', '::1', ...this.#direct].join(',');
    return {
      HTTP_PROXY: address,
      HTTPS_PROXY: address,
      NO_PROXY: direct,
      http_proxy: address,
      https_proxy: address,
      no_proxy: direct,
      // Without it, `fetch` of Node does not look at the others.
      NODE_USE_ENV_PROXY: '1',
    };
  }
}

/** Ports of this machine that the trial finds on its own loopback: few programs use a proxy for those. */
function localPorts(allowed: readonly AllowedHost[]): number[] {
  const local = allowed.filter(({ name }) => isLoopback(name));
  return [...new Set(local.flatMap(({ port }) => (port === undefined ? [80, 443] : [port])))];
}

function freePort(doors: readonly ForwardedPort[]): number {
  let port = usualProxyPort;
  while (doors.some((door) => door.port === port)) port++;
  return port;
}

function passOn(socket: Socket, port: number, watch: RequestWatch | undefined): void {
  const service = connect({ host: '127.0.0.1', port });
  const end = (): void => {
    socket.destroy();
    service.destroy();
  };
  for (const side of [socket, service]) side.on('error', end);
  socket.once('close', () => service.destroy());
  service.once('close', () => socket.destroySoon());
  const watched = watch && new WatchedConnection(watch, `localhost:${port}`);
  if (watched) socket.on('data', (bytes: Buffer) => watched.push(bytes)).once('close', () => watched.end());
  socket.pipe(service);
  service.pipe(socket);
}
