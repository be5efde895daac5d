import { request as requestHttp } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, type RequestOptions, request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { proxyHeaders } from './proxy-settings.ts';

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
    const target = `${hostInAuthority(options.host ?? '')}:${options.port}`;
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

function hostInAuthority(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
