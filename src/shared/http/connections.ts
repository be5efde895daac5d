import { type Agent, request as requestHttp } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, type RequestOptions, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Shorter than servers usually keep idle connections, so a request rarely meets one that the server is closing. */
export const idleLimitMs = 4_000;
/** Servers that close their connection after each response without announcing it do so within this time. */
const quarantineMs = 5;

/**
 * Reuses a connection only after it has stayed open for a moment. A request on a connection that is just being closed
 * would be lost, and it could not be sent again, because the server may have read it.
 */
export function withQuarantine<Kept extends Agent>(agent: Kept): Kept {
  const emit = agent.emit.bind(agent);
  const guarded = new WeakSet<Socket>();
  const release = (socket: Socket, options: unknown): boolean => emit('free', socket, options);
  agent.emit = (event: string | symbol, ...rest: unknown[]): boolean => {
    if (event !== 'free') return emit(event, ...rest);
    const [socket, options] = rest as [Socket, unknown];
    // Nothing else may listen meanwhile: a connection that breaks now is not reused, and must not end the program.
    if (!guarded.has(socket)) guarded.add(socket.on('error', ignore));
    // By a timer, not when the next request looks for a connection: the program must have seen what arrived meanwhile.
    setTimeout(release, quarantineMs, socket, options).unref();
    return true;
  };
  return agent;
}

function ignore(): void {}

const tunnelTimeoutMs = 30_000;

type Connected = (error: Error | null, stream: Duplex) => void;

/** Connects to https servers through a tunnel that a proxy opens, so the proxy sees no request. */
export class TunnelAgent extends HttpsAgent {
  readonly #proxy: URL;

  constructor(proxy: URL, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(options: RequestOptions, callback: Connected): undefined {
    // Node's types demand a stream also where there is an error instead.
    const fail = callback as (error: Error) => void;
    const { hostname, port, protocol } = this.#proxy;
    const host = options.host ?? '';
    const target = `${host.includes(':') ? `[${host}]` : host}:${options.port}`;
    const send = protocol === 'https:' ? requestHttps : requestHttp;
    const connect = send({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port || (protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...proxyHeaders(this.#proxy) },
      agent: false,
      timeout: tunnelTimeoutMs,
    });
    connect.on('timeout', () => connect.destroy(new Error('it did not answer in time')));
    connect.on('error', (error) => fail(new Error(`the proxy ${this.#proxy.host} failed: ${error.message}`)));
    connect.on('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) {
        const secured = super.createConnection({ ...options, socket } as RequestOptions);
        if (secured) callback(null, secured);
        return;
      }
      socket.destroy();
      fail(new Error(`the proxy ${this.#proxy.host} refused to connect to ${target}: HTTP ${statusCode}`));
    });
    connect.end();
    return undefined;
  }
}

/** Credentials of a proxy, as it expects them. */
export function proxyHeaders({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
