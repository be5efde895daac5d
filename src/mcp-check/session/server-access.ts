import type { McpSession, OpenSessionOptions } from '../../drive/mcp/session.ts';

/** How a server is reached. */
export interface ServerAccess {
  open(how: Pick<OpenSessionOptions, 'onFrame' | 'takesRefused' | 'capabilities'>): Promise<McpSession>;
  /** The folder that the server gets as its root; none where it is on another machine. */
  readonly rootFolder?: string | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}
