import type { ScenarioFormat } from '../../scenario-format.ts';
import { looksLikeMcpServer } from './looks-like-mcp-server.ts';

/** An MCP server with suites of tests and workflows, each of which becomes a scenario. */
export const mcpServerFormat: ScenarioFormat = {
  name: 'mcp-server',
  recognises: looksLikeMcpServer,
  async read(source, context) {
    const [only] = await (await import('./read-mcp-server.ts')).readMcpServer(source, context);
    return only?.read ?? [];
  },
  async readAll(source, context) {
    // Most projects have no such file, and then none of this need be loaded.
    return (await import('./read-mcp-server.ts')).readMcpServer(source, context);
  },
};
