import { randomUUID } from 'node:crypto';
import { type McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { serverError } from '../../shared/json-rpc.ts';

/** Clients often leave without ending their session; the one that was silent for longest makes room. */
const mostSessions = 64;

/** Sessions of HTTP clients that open one, as the versions of the protocol up to 2025-11-25 do. */
export class ClientSessions {
  readonly #makeServer: () => McpServer;
  readonly #open = new Map<string, WebStandardStreamableHTTPServerTransport>();

  constructor(makeServer: () => McpServer) {
    this.#makeServer = makeServer;
  }

  async answer(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.#begin(request);
    const session = this.#open.get(id);
    if (session) {
      this.#keep(id, session);
      return session.handleRequest(request);
    }
    const error = { code: serverError, message: 'Session not found' };
    return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((session) => session.close()));
  }

  async #begin(request: Request): Promise<Response> {
    const session = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => this.#keep(id, session),
      onsessionclosed: (id) => void this.#open.delete(id),
    });
    await this.#makeServer().connect(session);
    const response = await session.handleRequest(request);
    if (session.sessionId === undefined) await session.close();
    return response;
  }

  #keep(id: string, session: WebStandardStreamableHTTPServerTransport): void {
    this.#open.delete(id);
    this.#open.set(id, session);
    const [oldest] = this.#open.keys();
    if (this.#open.size <= mostSessions || oldest === undefined) return;
    void this.#open.get(oldest)?.close();
    this.#open.delete(oldest);
  }
}
