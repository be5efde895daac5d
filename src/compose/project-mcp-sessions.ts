import type { McpSessions } from '../drive/mcp/session.ts';
import { version } from './version.ts';

/** The MCP servers of a run; what talks to them is loaded when the first is needed. */
export class ProjectMcpSessions implements AsyncDisposable {
  #sessions: Promise<McpSessions> | undefined;

  open(): Promise<McpSessions> {
    this.#sessions ??= import('../drive/mcp/sessions.ts').then(({ RunSessions }) => new RunSessions(version));
    return this.#sessions;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#sessions)?.[Symbol.asyncDispose]();
  }
}
