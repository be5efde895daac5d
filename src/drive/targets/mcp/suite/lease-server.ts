import { AssayError } from '../../../../domain/errors.ts';
import type { ServerDefinition } from '../../../mcp/server-definition.ts';
import type { SessionLease } from '../../../mcp/session.ts';
import type { TargetContext } from '../../target.ts';

interface LeaseLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What the server is told that its client can do. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
}

/** The session of the run with a server; it is started or reached when nobody has asked for it before. */
export async function leaseServer(
  server: ServerDefinition,
  { directory, env, mcpSessions }: TargetContext,
  limits: LeaseLimits,
): Promise<SessionLease> {
  if (!mcpSessions) throw new AssayError('INTERNAL', 'No MCP server can be reached here.');
  return (await mcpSessions()).lease(server, { directory, env, ...limits });
}
