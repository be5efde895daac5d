import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { withoutSlowHeaders } from '../../shared/http/guarded-server.ts';
import { serverError } from '../../shared/json-rpc.ts';
import { bearerToken, checkHost, checkOrigin, tokenCheck } from '../server/guard.ts';
import { allowedHosts, listen, urlHost } from '../server/listen.ts';
import { Refusal } from '../server/refusal.ts';
import { AssayServers, type ServedProject } from './assay-servers.ts';
import { ClientSessions } from './client-sessions.ts';

interface HttpOptions extends ServedProject {
  readonly host: string;
  readonly port: number;
  /** Further values of `Host` to answer to, such as the name of a proxy. */
  readonly allowHosts: readonly string[] | undefined;
  /** The user's token; a random one by default. */
  readonly token: string | undefined;
  /** Ends the server, and with it every run. */
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
  /** Called when requests are answered. */
  readonly onReady: (address: HttpServerAddress) => Promise<void>;
}

/** Where clients find the server. */
interface HttpServerAddress {
  /** Without the token. */
  readonly url: string;
  readonly token: string;
}

const path = '/mcp';
/** How long clients may take to receive the answers of calls that have ended. */
const sendingMs = 2_000;
/** For clients that cannot send headers. */
const tokenInPath = /^\/mcp\/([^/]+)$/;

/** Serves the tools over streamable HTTP until the signal comes; every call has ended by then. */
export async function serveOverHttp(options: HttpOptions): Promise<void> {
  const { host, token = randomBytes(32).toString('base64url'), signal, log } = options;
  const http = createServer(withoutSlowHeaders());
  const port = await listen(http, { host, port: options.port, mayMovePort: false });
  const servers = new AssayServers(options, signal);
  const answer = answering(servers, log);
  const answers = new OpenAnswers(http);
  const guarded = guardedBy({ token, hosts: allowedHosts(host, port, options.allowHosts) }, answer.fetch);
  http.on('request', getRequestListener(guarded, { overrideGlobalObjects: false }));
  await options.onReady({ url: `http://${urlHost(host)}:${port}${path}`, token });
  if (!signal.aborted) await once(signal, 'abort');
  await servers.settled();
  await answers.sent();
  await answer.close();
  await closed(http);
}

/** Answers to requests that were begun and not sent to their end; streams that clients only listen to do not count. */
class OpenAnswers {
  readonly #open = new Map<ServerResponse, Promise<unknown>>();

  constructor(http: Server) {
    http.on('request', ({ method }, response: ServerResponse) => {
      if (method !== 'POST') return;
      const closed = new Promise((resolve) => response.once('close', resolve));
      this.#open.set(
        response,
        closed.then(() => this.#open.delete(response)),
      );
    });
  }

  /** A client whose connection is cut before its answer would wait for it until its own time limit. */
  async sent(): Promise<void> {
    await Promise.race([Promise.all(this.#open.values()), delay(sendingMs, undefined, { ref: false })]);
  }
}

interface Answering {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** Versions of the protocol with sessions keep one, so their clients can cancel a request; newer ones need none. */
function answering(servers: AssayServers, log: (message: string) => void): Answering {
  const sessions = new ClientSessions(servers.make);
  const onerror = (error: Error): void => log(error.message);
  const modern = createMcpHandler(servers.make, { legacy: 'reject', onerror });
  return {
    fetch: async (request) => ((await isLegacyRequest(request)) ? sessions.answer(request) : modern.fetch(request)),
    async close() {
      await modern.close();
      await sessions.close();
    },
  };
}

interface HttpGuard {
  readonly token: string;
  readonly hosts: ReadonlySet<string>;
}

/** Calls run code of the project, so a page of another site, a rebound name and a caller without the token are refused. */
function guardedBy({ token, hosts }: HttpGuard, answer: Answering['fetch']): Answering['fetch'] {
  const callerOf = tokenCheck({ token });
  return async (request) => {
    try {
      const header = (name: string) => request.headers.get(name) ?? undefined;
      checkHost(header, hosts);
      checkOrigin(header);
    } catch (error) {
      if (error instanceof Refusal) return refused(403, error.message);
      throw error;
    }
    const { pathname } = new URL(request.url);
    const header = request.headers.get('authorization');
    const [, offered = header === null ? undefined : bearerToken(header)] = tokenInPath.exec(pathname) ?? [];
    if (!callerOf(offered)) return refused(401, 'Send the token of this server as `Authorization: Bearer <token>`.');
    return pathname === path || tokenInPath.test(pathname)
      ? answer(request)
      : refused(404, `This server answers at ${path}.`);
  };
}

function refused(status: number, message: string): Response {
  const headers = status === 401 ? { 'www-authenticate': 'Bearer' } : undefined;
  return Response.json(
    { jsonrpc: '2.0', id: null, error: { code: serverError, message } },
    { status, ...(headers && { headers }) },
  );
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
