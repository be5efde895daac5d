import { Agent as HttpAgent, type RequestOptions, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { idleLimitMs, TunnelAgent, withQuarantine } from './connections.ts';
import { proxyFor, proxyHeaders } from './proxy-settings.ts';

type Headers = Readonly<Record<string, string>>;
type Environment = Readonly<Record<string, string | undefined>>;

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
    const origin = `${url.protocol}//${url.host}`;
    const route = this.#byOrigin.get(origin) ?? this.#choose(url);
    this.#byOrigin.set(origin, route);
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
    const make = (): HttpAgent => (isSecure ? new HttpsAgent(keepAlive) : new HttpAgent(keepAlive));
    return directRoute(isSecure, this.#agent(isSecure ? 'https' : 'http', make));
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
        const { auth } = urlToHttpOptions(url);
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

function directRoute(isSecure: boolean, agent: HttpAgent): Route {
  return {
    request: isSecure ? requestHttps : requestHttp,
    isSecure,
    optionsFor: (url) => ({ ...urlToHttpOptions(url), agent }),
    headersFor: (_, headers) => headers,
  };
}
