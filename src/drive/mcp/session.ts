import type { ControlKind } from '../../domain/tool-control/control-event.ts';
import type { Authorizations } from './authorization/authorizations.ts';
import type { McpControl } from './control/mcp-control.ts';
import type { Refusal } from './schemas/refusal.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { Wire, WireListener } from './wire/wire.ts';

/** A tool as its server defines it; every field that it sent is kept. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  readonly [field: string]: unknown;
}

/** How one tool differs from what it was. */
export interface ToolChange {
  readonly tool: string;
  /** A tool that was added leaves what was seen of the others true. */
  readonly isAdded: boolean;
  /** The server announced the change, and such changes are accepted. */
  readonly isAccepted?: boolean | undefined;
  /** `"add" was removed`. */
  readonly text: string;
}

/**
 * The protocol until 2025-11-25, in which a handshake begins a session, is legacy; modern are the versions in which
 * every request stands for itself.
 */
export type Era = 'legacy' | 'modern';

/** Facts that a server reported when the session began. */
export interface ServerFacts {
  readonly label: string;
  readonly name: string;
  readonly version: string;
  readonly era: Era;
  readonly protocolVersion: string;
  readonly transport: ServerDefinition['transport'];
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions: string | undefined;
}

/** How a server answered a request: with a result, or with an error that belongs to the protocol. Both are answers. */
export type McpAnswer = (
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data?: unknown }
) & {
  readonly latencyMs: number;
  /** The kind of control that answered in place of the server; absent where the server did. */
  readonly answeredBy?: ControlKind | undefined;
  /** Why official clients refuse the answer, in sessions that take such answers. */
  readonly refusal?: Refusal | undefined;
};

export interface McpRequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A request about a task, and its answer. */
export interface TaskExchange {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly answer: McpAnswer;
}

export interface ToolCallOptions extends McpRequestOptions {
  /** Fields of `_meta`, such as a progress token. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Calls the tool as a task where the server leaves the choice to the client; tools that need it always are. */
  readonly isTask?: boolean | undefined;
  /** Sees the requests that follow a call which became a task. */
  readonly onTaskExchange?: ((exchange: TaskExchange) => void) | undefined;
}

export interface ListToolsOptions extends McpRequestOptions {
  /** Asks the server even when it is known what it said before. */
  readonly isFresh?: boolean | undefined;
}

/** A request of the server to its client, such as `sampling/createMessage` or `elicitation/create`. */
interface ServerRequest {
  readonly method: string;
  readonly params: unknown;
}

/**
 * Answers requests of the server; without a handler for a method the server gets "method not found". An RpcError
 * that it throws is passed on as it is.
 */
export type ServerRequestHandler = (request: ServerRequest, signal: AbortSignal) => Promise<Record<string, unknown>>;

/** Hears why official clients refuse a notification or request of the server, which is not delivered. */
export type RefusalListener = (method: string, refusal: Refusal) => void;

/**
 * One conversation with one MCP server, which owns its process or connection and ends it. A request that is not
 * answered in time is cancelled at the server and rejects with MCP_SERVER_TIMEOUT. A server that dies, cannot be
 * reached or breaks the protocol makes requests reject with its MCP_ code; the message names the server and ends with
 * the last of what it printed to stderr.
 */
export interface McpSession extends AsyncDisposable {
  readonly facts: ServerFacts;
  /** Undefined while the server is well; else why no further request can be answered. */
  readonly broken: Error | undefined;
  /** All pages; empty for a server without tools. Requested once and kept until the server reports a change. */
  listTools(options: ListToolsOptions): Promise<readonly ToolDefinition[]>;
  /** A call that the server makes a task is followed until its end, and cancelled when its time is up. */
  callTool(name: string, args: Readonly<Record<string, unknown>>, options: ToolCallOptions): Promise<McpAnswer>;
  /** A request without parameters that every server of the session's era has to answer. */
  readonly aliveMethod: string;
  /** Any other request of the protocol: `resources/read`, `prompts/get` and so on. */
  request(method: string, params: Readonly<Record<string, unknown>>, options: McpRequestOptions): Promise<McpAnswer>;
  /** Hears the server's notifications until it is disposed of. */
  onNotification(
    methods: string | ReadonlySet<string>,
    listener: (params: unknown, method: string) => void,
  ): Disposable;
  /** Takes over some kinds of requests of the server until it is disposed of. */
  onRequest(methods: string | ReadonlySet<string>, handler: ServerRequestHandler): Disposable;
  onRefused(listener: RefusalListener): Disposable;
  /** Tag by which the processes of the server are found; undefined for a server that we did not start. */
  readonly processTag: string | undefined;
  /** Head and tail of the server's stderr; undefined for a server that we did not start. */
  stderr(): string | undefined;
  /** Protocol errors that were ignored, such as log lines on stdout. */
  notices(): readonly string[];
}

export interface OpenSessionOptions {
  /** Absolute: programs start in it. */
  readonly directory: string;
  /** Of the user: passed on to a program, and what `${VAR}` is replaced from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For starting or connecting and the handshake together. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Client capabilities reported to the server; handlers answer the requests that follow from them. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** Client version reported to the server. */
  readonly clientVersion?: string | undefined;
  /** Shared by all sessions of a run. */
  readonly authorizations?: Authorizations | undefined;
  /** Decides on the tool calls of a trial; such a session is not shared. */
  readonly control?: McpControl | undefined;
  /** Opens a server that is in this process; without it, the definition says how it is reached. */
  readonly openWire?: ((listener: WireListener) => Wire) | undefined;
  /** Tag of the processes of a server that is started; by default its own. */
  readonly processTag?: string | undefined;
  /** Whether answers that official clients refuse are given to the caller; without it they reject. */
  readonly takesRefused?: boolean | undefined;
  /** Sees every message of the protocol as it passes, such as one that keeps a record. */
  readonly onFrame?: ((direction: 'to-server' | 'from-server', message: unknown) => void) | undefined;
  /** Called when the open session broke, also while nothing is under way. */
  readonly onBroken?: (() => void) | undefined;
}

/** The right to use a session that others may use at the same time. */
export interface SessionLease extends AsyncDisposable {
  readonly session: McpSession;
  /** SHA-256 of each tool's definition when the lease began. */
  readonly pins: Readonly<Record<string, string>>;
  /** The server has announced that its tools changed, and such changes are accepted. */
  readonly isChangeAnnounced: boolean;
  /** Lists the tools again and pins them as they are now; returns how they differ from the beginning of the run too. */
  pinAgain(options: McpRequestOptions): Promise<PinnedTools>;
  /** A new session in place of one that broke; those who share it get the same. Rejects when it cannot be had. */
  reopen(options: McpRequestOptions): Promise<McpSession>;
  /** The accepted changes since the tools were pinned, which are then pinned; the tools are listed if there may be any. */
  announcedChanges(options: McpRequestOptions): Promise<readonly ToolChange[]>;
  /** Lists the tools again and compares them with the pinned ones; accepted changes are pinned. */
  changesSincePinned(options: McpRequestOptions): Promise<readonly ToolChange[]>;
  /**
   * Rejects with MCP_TOOLS_CHANGED, naming them, when a tool was removed or changed since it was pinned, and that is
   * not an accepted change; `tools` are those that matter, all without it. Returns the accepted changes.
   */
  assertPinned(options: McpRequestOptions, tools?: readonly string[]): Promise<readonly ToolChange[]>;
}

/** The tools of a server as a user of it found them. */
export interface PinnedTools {
  readonly tools: readonly ToolDefinition[];
  readonly changesInRun: readonly ToolChange[];
}

/** The MCP servers of a run: one session for each definition, however many trials use it, ended with the run. */
export interface McpSessions extends AsyncDisposable {
  /** Shared with all else in the run that reaches its servers: a refresh token may work only once. */
  readonly authorizations?: Authorizations | undefined;
  lease(definition: ServerDefinition, options: Omit<OpenSessionOptions, 'onFrame'>): Promise<SessionLease>;
}
