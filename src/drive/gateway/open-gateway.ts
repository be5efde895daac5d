import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { loopbackServer } from '../../shared/http/guarded-server.ts';
import { closeServer, listenOnLoopback } from '../loopback-server.ts';
import { GatewaySession, type SessionOptions } from './gateway-session.ts';
import { refuse, relay } from './relay.ts';
import type { Route, RouteTarget } from './route.ts';
import type { Upstream } from './upstream.ts';

/** Longer than clients keep idle connections, so none is closed while a request is on its way. */
const keepAliveTimeoutMs = 600_000;
const mostConnections = 5_000;

/** One address of a session, and the keys that work there. */
export interface GatewayAddress {
  /** To be used in place of the provider's base URL. */
  readonly url: string;
  /** In the order of the keys; one where there is no key. */
  readonly placeholders: readonly string[];
}

/** A session as those see it who opened it. */
export interface OpenSession {
  readonly session: GatewaySession;
  addRoute(target: RouteTarget): GatewayAddress;
  /** Ends what is open, and emits what is known at the end; the addresses do not work any more. */
  conclude(): Promise<void>;
}

/** A proxy on loopback between agents and their providers. */
export interface Gateway extends AsyncDisposable {
  readonly url: string;
  /** Serves a connection that came in elsewhere, such as in the network of a trial. */
  accept(socket: Socket): void;
  openSession(options: SessionOptions): OpenSession;
}

interface GatewayOptions {
  readonly upstream: Upstream;
  /** A free one unless given. */
  readonly port?: number | undefined;
}

/** Starts the gateway; disposing of it ends every connection. */
export async function openGateway({ upstream, port = 0 }: GatewayOptions): Promise<Gateway> {
  const routes = new Map<string, { readonly session: GatewaySession; readonly route: Route }>();
  const server = loopbackServer((incoming, response) => void handle(incoming, response), {
    keepAliveTimeout: keepAliveTimeoutMs,
  });
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, token = '', pathname = '/', search = ''] =
      /^\/([\w-]+)(\/[^?#]*)?(\?[^#]*)?$/.exec(incoming.url ?? '') ?? [];
    const found = routes.get(token);
    if (!found) return refuse(response, 404, 'There is no session at this address.');
    response.on('error', () => undefined);
    await relay({ incoming, response, ...found, upstream, pathname, search });
  };
  server.maxConnections = mostConnections;
  server.on('connect', (_, socket) => socket.end('HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\n\r\n'));
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
    else socket.destroy();
  });
  const url = await listenOnLoopback(server, port);
  return {
    url,
    accept: (socket) => {
      server.emit('connection', socket);
    },
    openSession(options) {
      const session = new GatewaySession(options);
      let concluded: Promise<void> | undefined;
      return {
        session,
        addRoute(target) {
          const route = session.addRoute(target);
          routes.set(route.token, { session, route });
          return { url: `${url}${route.path}`, placeholders: route.placeholders };
        },
        conclude() {
          for (const { token } of session.routes) routes.delete(token);
          concluded ??= session.conclude();
          return concluded;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await closeServer(server);
      upstream[Symbol.dispose]();
    },
  };
}
