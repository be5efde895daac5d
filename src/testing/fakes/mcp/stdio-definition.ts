import { fileURLToPath } from 'node:url';
import { type ServerDefinition, serverDefinitionSchema } from '../../../drive/mcp/server-definition.ts';
import type { Era } from '../../../drive/mcp/session.ts';

const program = fileURLToPath(new URL('./stdio-server.mjs', import.meta.url));

/** A server over standard streams that behaves as the mode says, and that is known as one of this process. */
export function stdioDefinition(
  mode: string,
  rest: Record<string, unknown> = {},
  era: Era = 'legacy',
): ServerDefinition {
  const args = [program, mode, String(process.pid), ...(era === 'modern' ? [era] : [])];
  return serverDefinitionSchema().parse({ transport: 'stdio', command: 'node', args, ...rest });
}
