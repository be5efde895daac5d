import { Readable } from 'node:stream';
import { HttpClient } from '../../../shared/http/http-client.ts';
import { proxyFor } from '../../../shared/http/proxies.ts';
import type { Fetch } from './environment-fetch.ts';

const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** Servers under development are here, where no proxy reaches them. */
function isOnThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}

/** A `fetch` through the proxies that the environment names; redirects are responses like any other. */
export function proxiedFetch(env: Readonly<Record<string, string | undefined>>): Fetch {
  const client = new HttpClient({ env });
  return async (address, init = {}) => {
    const url = new URL(address);
    if (isOnThisMachine(url) || !proxyFor(url, env)) return fetch(url, init);
    const { method = 'GET', body, signal } = init;
    // The body is passed on as it comes, so it must not be compressed.
    const headers = { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' };
    const request = { url, method, headers, body: typeof body === 'string' ? body : undefined };
    return client.open({ ...request, signal: signal ?? new AbortController().signal }, async (incoming) => {
      const { statusCode: status = 502, statusMessage = '', headersDistinct } = incoming;
      const received = new Headers();
      for (const [name, values = []] of Object.entries(headersDistinct))
        for (const value of values) received.append(name, value);
      if (withoutBody.has(status)) incoming.resume();
      const content = withoutBody.has(status) ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>);
      return new Response(content, { status, statusText: statusMessage, headers: received });
    });
  };
}
