import type { TapeLine } from '../../../domain/tape.ts';
import { canonicalJson, isRecord } from '../../../shared/json.ts';
import type { RecordedTape } from '../../tape/recorded-tape.ts';
import { digestOf } from '../../tape/tape-text.ts';
import type { TapeWords } from '../../tape/tape-words.ts';
import { metaKeys, metaOf } from '../protocol-versions.ts';
import type { RequestId, WireEnd } from '../wire/wire.ts';
import type { FrameSink, Message } from './mcp-reply.ts';
import { requestIdOf } from './mcp-reply.ts';

/** How a session begins; the client says nothing in it that an answer depends on. */
const beginnings: ReadonlySet<unknown> = new Set(['initialize', 'server/discover']);
/** Requests of a server whose answers change nothing that its client sees. */
const harmless: ReadonlySet<unknown> = new Set(['ping', 'roots/list']);

type McpLine = Extract<TapeLine, { kind: 'call' | 'request' }>;
type McpEnd = Pick<McpLine, 'result' | 'error' | 'unanswered'>;
type Notification = NonNullable<McpLine['notifications']>[number];

interface OpenRequest {
  readonly method: string;
  readonly params: Message;
  readonly notifications: Notification[];
  fill(line: TapeLine): void;
}

/** The messages between a trial and one MCP server, as lines of a recording. */
export class TapedServer {
  readonly #server: string;
  readonly #tape: RecordedTape;
  readonly #sessions: TapedSession[] = [];
  readonly #definitions = new Map<string, Message>();
  #info: Message = {};
  #protocolVersion = '';
  #hasObstacle = false;

  constructor(server: string, tape: RecordedTape) {
    this.#server = server;
    this.#tape = tape;
    tape.include(this);
  }

  get hasBegun(): boolean {
    return this.#sessions.length === 0 || this.#protocolVersion !== '';
  }

  /** To be called for each connection. */
  session(): FrameSink {
    const session = new TapedSession(this);
    this.#sessions.push(session);
    return session;
  }

  /** Lines about the server itself, when everything has passed. */
  conclude(words: TapeWords): TapeLine[] {
    if (this.#sessions.length === 0) return [];
    for (const session of this.#sessions) session.conclude();
    const server = this.#server;
    const definitions = words.written([...this.#definitions.values()]).value;
    const facts = words.written({ name: textOf(this.#info.name), version: textOf(this.#info.version) }).value;
    const schemas = digestOf(definitions);
    const tools = definitions.map((definition) => ({ kind: 'tool' as const, server, definition }));
    return [{ kind: 'server', server, ...facts, protocolVersion: this.#protocolVersion, schemas }, ...tools];
  }

  reserve(): (line: TapeLine) => void {
    return this.#tape.reserve();
  }

  line({ method, params, notifications }: OpenRequest, end: McpEnd): McpLine {
    const server = this.#server;
    const sent = notifications.length > 0 ? { notifications } : {};
    const { _meta, ...own } = params;
    if (method !== 'tools/call') {
      const kept = beginnings.has(method) || Object.keys(own).length === 0 ? {} : { params: own };
      return { kind: 'request', server, method, ...kept, ...this.#learned(method, params, end), ...sent };
    }
    const { name, arguments: args, ...others } = own;
    const given = isRecord(args) ? args : {};
    const input = Object.keys(others).length > 0 ? { input: others } : {};
    return { kind: 'call', server, tool: String(name), args: given, ...input, ...end, ...sent };
  }

  obstacle(what: string): void {
    if (this.#hasObstacle) return;
    this.#hasObstacle = true;
    this.#tape.reserve()({ kind: 'obstacle', tool: this.#server, what });
  }

  /** Notes who the server is, and takes definitions of tools out of lists: they have their own lines. */
  #learned(method: string, params: Message, end: McpEnd): McpEnd {
    const { result } = end;
    if (!isRecord(result)) return end;
    const info = isRecord(result.serverInfo) ? result.serverInfo : metaOf(result)[metaKeys.serverInfo];
    if (isRecord(info)) this.#info = info;
    const version = result.protocolVersion ?? metaOf(params)[metaKeys.version];
    if (typeof version === 'string') this.#protocolVersion = version;
    if (method !== 'tools/list' || !Array.isArray(result.tools)) return end;
    return { result: { ...result, tools: result.tools.map((tool: unknown) => this.#named(tool)) } };
  }

  /** A tool whose definition changed meanwhile stays in its list. */
  #named(tool: unknown): unknown {
    if (!isRecord(tool) || typeof tool.name !== 'string') return tool;
    const earlier = this.#definitions.get(tool.name);
    if (earlier && canonicalJson(earlier) !== canonicalJson(tool)) return tool;
    this.#definitions.set(tool.name, tool);
    return tool.name;
  }
}

/** The messages of one connection. */
class TapedSession implements FrameSink {
  readonly #server: TapedServer;
  readonly #open = new Map<RequestId, OpenRequest>();
  /** Came while no request waited for an answer: they belong before the next answer. */
  #early: Notification[] = [];

  constructor(server: TapedServer) {
    this.#server = server;
  }

  sent(message: Message): void {
    const id = requestIdOf(message);
    const { method, params } = message;
    if (id === undefined || typeof method !== 'string' || method === 'ping') return;
    const notifications = this.#early.splice(0);
    const fill = this.#server.reserve();
    this.#open.set(id, { method, params: isRecord(params) ? params : {}, notifications, fill });
  }

  received(message: unknown): void {
    if (!isRecord(message)) return;
    const id = requestIdOf(message);
    const { method, params, result, error } = message;
    if (typeof method !== 'string') {
      if (id !== undefined) this.#end(id, isRecord(result) ? { result } : { error: isRecord(error) ? error : {} });
    } else if (id === undefined) this.#notice({ method, ...(params !== undefined && { params }) });
    else if (!harmless.has(method)) this.#server.obstacle(`the server sent a request to its client (${method})`);
  }

  unanswered(id: RequestId, { code, what }: WireEnd): void {
    this.#end(id, { unanswered: { code, what } });
  }

  ended(end: WireEnd): void {
    for (const id of [...this.#open.keys()]) this.unanswered(id, end);
  }

  conclude(): void {
    // A server that does not know this question need not answer it.
    for (const [id, { method }] of this.#open) if (method === 'server/discover') this.#open.delete(id);
    this.ended({ code: 'MCP_SERVER_TIMEOUT', what: 'did not answer' });
  }

  #end(id: RequestId, end: McpEnd): void {
    const request = this.#open.get(id);
    this.#open.delete(id);
    request?.fill(this.#server.line(request, end));
  }

  #notice(notification: Notification): void {
    const token = isRecord(notification.params) ? notification.params.progressToken : undefined;
    const open = [...this.#open.values()];
    const ofToken = token === undefined ? undefined : open.find(({ params }) => metaOf(params).progressToken === token);
    ((ofToken ?? open[0])?.notifications ?? this.#early).push(notification);
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
