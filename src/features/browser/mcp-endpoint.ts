import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { closeServer, listenOnLoopback } from '../../drive/loopback-server.ts';
import { withoutSlowHeaders } from '../../shared/http/guarded-server.ts';
import { type BrowserInUse, type BrowserTool, browserTools } from './tools.ts';

/** The MCP server by which one agent uses its browser. */
export class McpEndpoint implements AsyncDisposable {
  /** Its path is a secret: agents of other trials reach the port. */
  readonly url: string;
  readonly #http: Server;
  readonly #handler: ReturnType<typeof createMcpHandler>;

  private constructor(url: string, http: Server, handler: ReturnType<typeof createMcpHandler>) {
    this.url = url;
    this.#http = http;
    this.#handler = handler;
  }

  static async open(browser: BrowserInUse): Promise<McpEndpoint> {
    const path = `/${randomBytes(16).toString('hex')}`;
    const handler = createMcpHandler(() => serverOf(browser), { legacy: 'stateless', onerror: () => undefined });
    const http = createServer(withoutSlowHeaders());
    const answer = async (request: Request) =>
      new URL(request.url).pathname === path ? handler.fetch(request) : new Response('', { status: 404 });
    http.on('request', getRequestListener(answer, { overrideGlobalObjects: false }));
    return new McpEndpoint(`${await listenOnLoopback(http, 0)}${path}`, http, handler);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handler.close();
    await closeServer(this.#http);
  }
}

function serverOf(browser: BrowserInUse): McpServer {
  const instructions =
    'A browser with one page in use. Most tools answer with the page as text, in which elements that can be used have a number.';
  const info = { name: 'browser', title: 'Browser', version: '1.0.0' };
  const server = new McpServer(info, { instructions, capabilities: { tools: { listChanged: false } } });
  for (const tool of browserTools) {
    const { name, description, input } = tool;
    server.registerTool(name, { description, inputSchema: z.strictObject(input) }, (given) =>
      answer(tool, given, browser),
    );
  }
  return server;
}

async function answer(tool: BrowserTool, given: unknown, browser: BrowserInUse) {
  try {
    const { text, picture } = await tool.call(given as Readonly<Record<string, unknown>>, browser);
    const image = picture && { type: 'image' as const, data: picture.toString('base64'), mimeType: 'image/jpeg' };
    return { content: [{ type: 'text' as const, text }, ...(image ? [image] : [])] };
  } catch (error) {
    return { isError: true, content: [{ type: 'text' as const, text: (error as Error).message }] };
  }
}
