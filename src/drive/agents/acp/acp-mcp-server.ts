import type { AgentMcpServer } from '../agent.ts';

/** An MCP server as `session/new` takes it. */
export function acpMcpServer(name: string, server: AgentMcpServer): object {
  if ('url' in server) return { type: 'http', name, url: server.url, headers: pairs(server.headers) };
  return { name, command: server.command, args: server.args, env: pairs(server.env) };
}

function pairs(record: Readonly<Record<string, string>>): object[] {
  return Object.entries(record).map(([name, value]) => ({ name, value }));
}
