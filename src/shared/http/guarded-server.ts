import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Gives a header by its name in lower case. */
export type HeaderOf = (name: string) => string | undefined;

/** Whether a request names a host of this server; any other may be a rebound name. */
export function namesHost(header: HeaderOf, hosts: ReadonlySet<string>): boolean {
  const host = header('host')?.toLowerCase();
  return host !== undefined && hosts.has(host);
}

/** Whether a page of another site sent a request. */
export function isOfOtherSite(header: HeaderOf): boolean {
  const site = header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const origin = header('origin');
  if (origin === undefined) return false;
  return /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase() !== header('host')?.toLowerCase();
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Refuses requests under a foreign name and from pages of other sites; all others are answered. */
export function guarded(handle: RequestHandler, hosts: () => ReadonlySet<string>): RequestHandler {
  return (request, response) => {
    const header: HeaderOf = (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    };
    if (!namesHost(header, hosts())) refuse(response, 'This server does not accept that host name.');
    else if (isOfOtherSite(header)) refuse(response, 'Requests from pages of other sites are refused.');
    else handle(request, response);
  };
}

function refuse(response: ServerResponse, error: string): void {
  // The rest of an unread body must not be taken for the next request.
  response.writeHead(403, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ error }));
}

/** Usual headers arrive at once; a client that sends them slowly uses up connections. */
const usualHeadersTimeoutMs = 20_000;

/** Closes connections whose headers are not complete in time. */
export function withoutSlowHeaders(headersTimeoutMs = usualHeadersTimeoutMs): ServerOptions {
  return { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: Math.ceil(headersTimeoutMs / 4) };
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/** The values of `Host` under which only this machine reaches a port. */
export function loopbackHosts(port: number): readonly string[] {
  return [...loopbackNames.map((name) => `${name}:${port}`), ...(port === 80 ? loopbackNames : [])];
}

interface LoopbackOptions extends Pick<ServerOptions, 'keepAliveTimeout'> {
  readonly headersTimeoutMs?: number | undefined;
}

/** A server for loopback, which answers under its names only. */
export function loopbackServer(handle: RequestHandler, { headersTimeoutMs, ...options }: LoopbackOptions = {}): Server {
  const hosts = (): ReadonlySet<string> => new Set(loopbackHosts((server.address() as AddressInfo).port));
  const server = createServer({ ...withoutSlowHeaders(headersTimeoutMs), ...options }, guarded(handle, hosts));
  return server;
}
