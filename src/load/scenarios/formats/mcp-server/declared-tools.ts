import type { KnownTools } from '../../../../domain/tools/known-tools.ts';
import type { McpServerConfig } from './mcp-server-schema.ts';

/** The tools of a server, as far as its file names them: those of a server that exists only as data are all there. */
export function toolsOf({ server }: McpServerConfig): KnownTools {
  if (server.transport !== 'mock') return { tools: [], isComplete: false };
  return { tools: Object.keys(server.tools).map((tool) => ({ tool })), isComplete: true };
}
