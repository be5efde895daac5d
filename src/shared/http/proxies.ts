import { Agent as HttpAgent, type RequestOptions, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { BlockList, isIP } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { idleLimitMs, proxyHeaders, TunnelAgent, withQuarantine } from './connections.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy that the environment names for a URL, by the rules of curl; undefined to connect directly. */
export function proxyFor(url: URL, env: Environment): URL | undefined {
  const written = read(env, `${url.protocol.slice(0, -1)}_proxy`) ?? read(env, 'all_proxy');
  if (written === undefined || isExcluded(url, read(env, 'no_proxy') ?? '')) return undefined;
  const text = written.includes('://') ? written : `http://${written}`;
  const proxy = URL.canParse(text) ? new URL(text) : undefined;
  if (proxy && /^https?:$/.test(proxy.protocol)) return proxy;
  throw new Error('the proxy in the environment is not an http or https URL');
}

/** The lower-case variable goes first, as in curl. */
function read(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || env[name.toUpperCase()]?.trim() || undefined;
}

function isExcluded(url: URL, noProxy: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry.includes('/')) return isInNetwork(host, entry);
  const [, name = '', wantedPort] = /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const wanted = name.replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
  if (wanted === '') return false;
  return host === wanted || (isIP(host) === 0 && host.endsWith(`.${wanted}`));
}

function isInNetwork(host: string, entry: string): boolean {
  const [network = '', bits = ''] = entry.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), type);
  return list.check(host, type);
}

type Headers = Readonly<Record<string, string>>;

/** How requests to one origin are sent. */
export interface Route {
  readonly request: typeof requestHttp;
  /** Whether the connection is encrypted, be it to the server or to its proxy. */
  readonly isSecure: boolean;
  optionsFor(url: URL): RequestOptions;
  headersFor(url: URL, headers: Headers): Headers;
}

const keepAlive = { keepAlive: true, timeout: idleLimitMs };

/** Kept connections: directly to servers, or through the proxies that the environment names. */
export class Routes implements Disposable {
  readonly #env: Environment;
  readonly #agents = new Map<string, HttpAgent>();
  readonly #byOrigin = new Map<string, Route>();

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Throws when the environment names a proxy that cannot be used. */
  to(url: URL): Route {
    const route = this.#byOrigin.get(url.origin) ?? this.#choose(url);
    this.#byOrigin.set(url.origin, route);
    return route;
  }

  [Symbol.dispose](): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }

  #choose(url: URL): Route {
    const isSecure = url.protocol === 'https:';
    const proxy = proxyFor(url, this.#env);
    if (!proxy) return this.#direct(isSecure);
    if (!isSecure) return this.#forwarded(proxy);
    const agent = this.#agent(`tunnel ${proxy.href}`, () => new TunnelAgent(proxy, keepAlive));
    return directRoute(isSecure, agent);
  }

  #direct(isSecure: boolean): Route {
    const Agent = isSecure ? HttpsAgent : HttpAgent;
    return directRoute(
      isSecure,
      this.#agent(isSecure ? 'https' : 'http', () => new Agent(keepAlive)),
    );
  }

  /** A proxy for http gets the request itself, with the whole address in its first line. */
  #forwarded(proxy: URL): Route {
    const { request, isSecure, optionsFor } = this.#direct(proxy.protocol === 'https:');
    const credentials = proxyHeaders(proxy);
    const toProxy = { ...optionsFor(proxy), auth: undefined };
    return {
      request,
      isSecure,
      headersFor: ({ host }, headers) => ({ host, ...headers, ...credentials }),
      optionsFor(url) {
        const { auth } = addressOf(url);
        const path = `${url.protocol}//${url.host}${url.pathname}${url.search}`;
        return { ...toProxy, path, auth, setHost: false };
      },
    };
  }

  #agent(key: string, make: () => HttpAgent): HttpAgent {
    const agent = this.#agents.get(key) ?? withQuarantine(make());
    this.#agents.set(key, agent);
    return agent;
  }
}

/** As little as a request needs: Node.js copies its options several times, and looks for each of them. */
function addressOf(url: URL): RequestOptions {
  const { protocol, hostname, port, path, auth } = urlToHttpOptions(url);
  return { protocol, hostname, port, path, ...(auth && { auth }) };
}

function directRoute(isSecure: boolean, agent: HttpAgent): Route {
  return {
    request: isSecure ? requestHttps : requestHttp,
    isSecure,
    optionsFor: (url) => ({ ...addressOf(url), agent }),
    headersFor: (_, headers) => headers,
  };
}
