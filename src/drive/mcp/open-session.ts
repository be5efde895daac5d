import { AssayError } from '../../domain/errors.ts';
import { LiveSession } from './live-session.ts';
import { Reception } from './reception.ts';
import { Reconnecting } from './reconnecting.ts';
import { type ServerDefinition, serverLabel } from './server-definition.ts';
import type { McpSession, OpenSessionOptions } from './session.ts';

/** Starts or connects to a server and shakes hands; nothing of it is left behind when that fails. */
export async function openSession(definition: ServerDefinition, options: OpenSessionOptions): Promise<McpSession> {
  if (options.signal?.aborted) {
    const message = `It was stopped before the MCP server "${serverLabel(definition)}" was needed.`;
    throw new AssayError('INTERRUPTED', message);
  }
  const reception = new Reception();
  const link = new Reconnecting(definition, options, reception);
  const session = new LiveSession(link, reception);
  await link.open();
  return session;
}
