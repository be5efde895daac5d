import { AssayError } from '../../domain/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { Authorizations } from './authorization/authorizations.ts';
import { IncomingHandlers } from './incoming.ts';
import { Reconnecting } from './reconnecting.ts';
import { type ServerDefinition, serverLabel } from './server-definition.ts';
import type {
  ListToolsOptions,
  McpAnswer,
  McpRequestOptions,
  McpSession,
  OpenSessionOptions,
  RefusalListener,
  ServerRequestHandler,
  ToolCallOptions,
  ToolDefinition,
} from './session.ts';
import { TaskFollower, taskIn } from './tasks/follow-task.ts';

/** Bounds the pages of a server whose list never ends. */
const mostPages = 200;
const mostTools = 10_000;

/** All pages of the tools of a server, within one time limit. */
async function listTools(session: McpSession, options: McpRequestOptions): Promise<readonly ToolDefinition[]> {
  if (!isRecord(session.facts.capabilities.tools)) return [];
  const dueAtMs = performance.now() + options.timeoutMs;
  const tools: ToolDefinition[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined, page = 0; page < mostPages; page++) {
    const timeoutMs = Math.max(1, Math.round(dueAtMs - performance.now()));
    const params = cursor === undefined ? {} : { cursor };
    const answer = await session.request('tools/list', params, { ...options, timeoutMs });
    if (answer.kind === 'error') throw violation(session, `with the error ${answer.code}: ${answer.message}`);
    // Official clients refuse a list with one bad tool as a whole, and so does the connection.
    tools.push(...(answer.result.tools as readonly ToolDefinition[]));
    const { nextCursor } = answer.result;
    // Some servers end their list so; it is not the cursor of a page.
    if (typeof nextCursor !== 'string' || nextCursor === '') return tools;
    if (cursors.has(nextCursor)) throw violation(session, 'with the same page again and again');
    if (tools.length > mostTools) throw violation(session, `with more than ${mostTools} tools`);
    cursor = nextCursor;
    cursors.add(cursor);
  }
  throw violation(session, `with more than ${mostPages} pages`);
}

function violation({ facts }: McpSession, how: string): AssayError {
  return new AssayError('MCP_PROTOCOL_VIOLATED', `The MCP server "${facts.label}" answered tools/list ${how}.`);
}

/** Whether a tool can only be called as a task, which needs a client that keeps track of tasks. */
function isTaskOnly({ execution }: ToolDefinition): boolean {
  return isRecord(execution) && execution.taskSupport === 'required';
}

type Params = Readonly<Record<string, unknown>>;

/** A session that has been opened. */
class LiveSession extends Reconnecting implements McpSession {
  readonly #incoming: IncomingHandlers;
  readonly #capabilities: Params;
  #tools: readonly ToolDefinition[] | undefined;
  #toolChanges = 0;
  #listensToChanges: Disposable | undefined;
  #taskOnly: ReadonlySet<string> = new Set();

  constructor(definition: ServerDefinition, options: OpenSessionOptions, incoming: IncomingHandlers) {
    super(definition, options, incoming);
    this.#capabilities = options.capabilities ?? {};
    this.#incoming = incoming;
  }

  async listTools({ isFresh = false, ...options }: ListToolsOptions): Promise<readonly ToolDefinition[]> {
    if (this.#tools && !isFresh) return this.#tools;
    this.#listensToChanges ??= this.#incoming.onNotification('notifications/tools/list_changed', () => {
      this.#tools = undefined;
      this.#toolChanges++;
    });
    const changesBefore = this.#toolChanges;
    const tools = this.dialect.usableTools(await listTools(this, options));
    this.#taskOnly = new Set(tools.filter(isTaskOnly).map(({ name }) => name));
    // A change that was announced while the pages came makes them worth no more than this one answer.
    if (changesBefore === this.#toolChanges) this.#tools = tools;
    return tools;
  }

  async callTool(name: string, args: Params, options: ToolCallOptions): Promise<McpAnswer> {
    const { meta, isTask = false, onTaskExchange, ...limits } = options;
    const sinceMs = performance.now();
    const asTask = this.facts.era === 'legacy' && (isTask || this.#taskOnly.has(name));
    const params = {
      name,
      arguments: args,
      ...(meta && { _meta: meta }),
      ...(asTask && { task: { ttl: Math.max(60_000, limits.timeoutMs) } }),
    };
    const answer = await this.request('tools/call', params, limits);
    const task = answer.kind === 'result' ? taskIn(this.facts.label, answer.result) : undefined;
    if (!task || answer.kind === 'error') return answer;
    onTaskExchange?.({ method: 'tools/call', params, answer });
    const link = {
      label: this.facts.label,
      request: (method: string, sent: Params, given: McpRequestOptions) => this.request(method, sent, given),
      capabilities: this.#capabilities,
      incoming: this.#incoming,
      rules: this.rules,
    };
    return new TaskFollower(link, { ...limits, onExchange: onTaskExchange }, sinceMs).answerOf(task);
  }

  onNotification(...listening: Parameters<McpSession['onNotification']>): Disposable {
    return this.#incoming.onNotification(...listening);
  }

  onRequest(methods: string | ReadonlySet<string>, handler: ServerRequestHandler): Disposable {
    return this.#incoming.onRequest(methods, handler);
  }

  onRefused(listener: RefusalListener): Disposable {
    return this.#incoming.onRefused(listener);
  }

  notices(): readonly string[] {
    return this.#incoming.violations.texts().map((text) => `The MCP server "${this.facts.label}" sent ${text}.`);
  }
}

/**
 * Starts or connects to a server and shakes hands; nothing of it is left behind when that fails. `incoming` has what it
 * sends, also while that goes on.
 */
export async function openSession(
  definition: ServerDefinition,
  options: OpenSessionOptions,
  incoming = new IncomingHandlers(),
): Promise<McpSession> {
  if (options.signal?.aborted) {
    const message = `The trial was stopped before it needed the MCP server "${serverLabel(definition)}".`;
    throw new AssayError('INTERRUPTED', message);
  }
  const { authorizations = new Authorizations() } = options;
  const session = new LiveSession(definition, { ...options, authorizations }, incoming);
  await session.open();
  return session;
}
