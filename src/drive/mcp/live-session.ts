import { listTools } from './list-tools.ts';
import type { Reception } from './reception.ts';
import type { Reconnecting } from './reconnecting.ts';
import type {
  ListToolsOptions,
  McpAnswer,
  McpRequestOptions,
  McpSession,
  ServerFacts,
  ServerRequestHandler,
  ToolDefinition,
} from './session.ts';

type Params = Readonly<Record<string, unknown>>;

/** A session that has been opened. */
export class LiveSession implements McpSession {
  readonly #link: Reconnecting;
  readonly #reception: Reception;
  #tools: readonly ToolDefinition[] | undefined;
  #toolChanges = 0;

  constructor(link: Reconnecting, reception: Reception) {
    this.#link = link;
    this.#reception = reception;
    reception.onNotification('notifications/tools/list_changed', () => {
      this.#tools = undefined;
      this.#toolChanges++;
    });
  }

  get facts(): ServerFacts {
    return this.#link.facts;
  }

  get broken(): Error | undefined {
    return this.#link.broken;
  }

  async listTools({ isFresh = false, ...options }: ListToolsOptions): Promise<readonly ToolDefinition[]> {
    if (this.#tools && !isFresh) return this.#tools;
    const changesBefore = this.#toolChanges;
    const tools = await listTools(this, options);
    // A change that was announced while the pages came makes them worth no more than this one answer.
    if (changesBefore === this.#toolChanges) this.#tools = tools;
    return tools;
  }

  callTool(name: string, args: Params, options: McpRequestOptions): Promise<McpAnswer> {
    return this.#link.request('tools/call', { name, arguments: args }, options);
  }

  request(method: string, params: Params, options: McpRequestOptions): Promise<McpAnswer> {
    return this.#link.request(method, params, options);
  }

  onNotification(method: string, listener: (params: unknown) => void): Disposable {
    return this.#reception.onNotification(method, listener);
  }

  onRequest(method: string, handler: ServerRequestHandler): Disposable {
    return this.#reception.onRequest(method, handler);
  }

  stderr(): string | undefined {
    return this.#link.stderr();
  }

  notices(): readonly string[] {
    return this.#reception.oddities.texts().map((text) => `The MCP server "${this.facts.label}" sent ${text}.`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#link[Symbol.asyncDispose]();
  }
}
