import { version } from '../../compose/program.ts';
import { AssayError } from '../../domain/errors.ts';
import { type ServerDefinition, serverDefinitionSchema, serverLabel } from '../../drive/mcp/server-definition.ts';
import type { McpSession, SessionLease } from '../../drive/mcp/session.ts';
import type { RunSessions } from '../../drive/mcp/sessions.ts';
import { callTool } from './call-tool.ts';
import { type DebugLog, debugLog } from './debug-log.ts';
import type { MCPTestUtils, ServerConfig } from './eval-types.ts';

export interface ServerOptions {
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
    const { RunSessions } = await import('../../drive/mcp/sessions.ts');
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

  /** What a test may do with the server; a call that it still waits for when it is over is cancelled. */
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

  /** A server that died in one test is started again for the next, so that only the one fails that it died in. */
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
