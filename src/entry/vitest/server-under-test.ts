import type { ServerDefinition } from '../../drive/mcp/server-definition.ts';
import type { McpRequestOptions, McpSession, SessionLease } from '../../drive/mcp/session.ts';
import type { RunSessions } from '../../drive/mcp/sessions.ts';
import { shorten } from '../../shared/text.ts';
import type { MCPCallResult, MCPContent, MCPTestUtils, ServerConfig } from './eval-types.ts';
import {
  AssayError,
  asAssayError,
  importSessions,
  secretRedaction,
  serverDefinitionSchema,
  serverLabel,
  version,
} from './program.ts';

interface CallRequest {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly options: McpRequestOptions;
  readonly debug: DebugLog;
}

/** The server answered a call with an error of the protocol. */
export class MCPCallError extends Error {
  override readonly name = 'MCPCallError';
  readonly code: number;
  readonly data: unknown;

  constructor(message: string, code: number, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Calls a tool; an answer with `isError` is an answer. */
async function callTool(session: McpSession, { name, args, options, debug }: CallRequest): Promise<MCPCallResult> {
  debug(() => `${name}(${JSON.stringify(args)})`);
  const answer = await session.callTool(name, args, options).catch((error: unknown) => rethrown(name, error));
  const took = `${answer.latencyMs.toFixed(1)} ms`;
  if (answer.kind === 'error') {
    debug(() => `${name} answered with error ${answer.code} after ${took}: ${answer.message}`);
    throw new MCPCallError(`${name}: ${answer.message} (MCP error ${answer.code})`, answer.code, answer.data);
  }
  debug(() => `${name} answered after ${took}: ${JSON.stringify(answer.result)}`);
  const { content } = answer.result;
  const sent = { ...answer.result, content: Array.isArray(content) ? (content as MCPContent[]) : [] };
  return withCall(sent, { toolCalls: [{ name, args }], latency: answer.latencyMs });
}

/** Says which call it was; thrown from here, its stack leads to the test. */
function rethrown(name: string, error: unknown): never {
  const { code, message, hint } = asAssayError(error);
  throw new AssayError(code, `${name}: ${message}`, { hint, cause: error });
}

type CallFacts = Pick<MCPCallResult, 'toolCalls' | 'latency'>;

function withCall<Sent extends object>(sent: Sent, facts: CallFacts): Sent & CallFacts {
  const hidden = Object.entries(facts).map(([key, value]) => [key, { value, enumerable: false }]);
  return Object.defineProperties(sent, Object.fromEntries(hidden)) as Sent & CallFacts;
}

/** Logs events of a server under test; does nothing unless it is enabled. */
export type DebugLog = (message: () => string) => void;

const longestLine = 2_000;

/** Whether the variable VITEST_MCP_DEBUG is set: 1, true, yes or on. */
export function isDebugRequested(): boolean {
  return /^(?:1|true|yes|on)$/i.test(process.env.VITEST_MCP_DEBUG ?? '');
}

/** Logs on stderr, without secrets, when the test or the environment enables it. */
export function debugLog(isWanted: boolean): DebugLog {
  if (!isWanted && !isDebugRequested()) return () => undefined;
  const { env, stderr } = process;
  const redact = secretRedaction(env);
  return (message) => {
    stderr.write(`[assay] ${shorten(redact(message()), longestLine)}\n`);
  };
}

interface ServerOptions {
  /** Milliseconds for starting the server, and for each call. */
  readonly timeoutMs: number;
  readonly isDebugged: boolean;
  /** Drives workflows. */
  readonly model: string | undefined;
  readonly signal: AbortSignal;
}

/** A server that tests talk to; it is ended with this object. */
export class ServerUnderTest implements AsyncDisposable {
  readonly definition: ServerDefinition;
  readonly #sessions: RunSessions;
  readonly #lease: SessionLease;
  readonly #options: ServerOptions;
  readonly #debug: DebugLog;

  private constructor(
    definition: ServerDefinition,
    sessions: RunSessions,
    lease: SessionLease,
    options: ServerOptions,
  ) {
    this.definition = definition;
    this.#sessions = sessions;
    this.#lease = lease;
    this.#options = options;
    this.#debug = debugLog(options.isDebugged);
    this.#debug(() => `started ${serverLabel(definition)}`);
  }

  /** Programs start in the current folder. Nothing is left behind when the server cannot be had. */
  static async start(config: ServerConfig, options: ServerOptions): Promise<ServerUnderTest> {
    const definition = checked(config);
    // Loaded here: a test file may use the matchers only.
    const { RunSessions } = await importSessions();
    const sessions = new RunSessions(version);
    const { timeoutMs, signal } = options;
    try {
      const lease = await sessions.lease(definition, { directory: process.cwd(), env: process.env, timeoutMs, signal });
      return new ServerUnderTest(definition, sessions, lease, options);
    } catch (error) {
      await sessions[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The server for one test; a call that is still open when the test ends is cancelled. */
  utils(signal?: AbortSignal): MCPTestUtils {
    const { timeoutMs, model } = this.#options;
    return {
      callTool: async (name, args = {}) =>
        callTool(await this.#session(signal), { name, args, options: { timeoutMs, signal }, debug: this.#debug }),
      runWorkflow: async (steps) => {
        const { runWorkflow } = await import('./run-workflow.ts');
        const server = { definition: this.definition, lease: this.#lease, timeoutMs };
        return runWorkflow({ steps, server, model, signal, debug: this.#debug });
      },
    };
  }

  async tools(): Promise<{ name: string; description: string | undefined }[]> {
    const session = await this.#session();
    const tools = await session.listTools({ timeoutMs: this.#options.timeoutMs });
    return tools.map(({ name, description }) => ({ name, description }));
  }

  /** A server that died in one test is started again for the next, so only one test fails. */
  #session(signal?: AbortSignal): Promise<McpSession> | McpSession {
    const { session } = this.#lease;
    return session.broken ? this.#lease.reopen({ timeoutMs: this.#options.timeoutMs, signal }) : session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sessions[Symbol.asyncDispose]();
    this.#debug(() => `ended ${serverLabel(this.definition)}`);
  }
}

function checked(config: ServerConfig): ServerDefinition {
  const parsed = serverDefinitionSchema().safeParse(config);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${['server', ...path].join('.')}: ${message}`);
  throw new AssayError('USAGE', `The server of the test is not usable. ${problems.join('; ')}`);
}
