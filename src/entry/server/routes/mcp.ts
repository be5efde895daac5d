import { mcpServersSchema } from '../api/mcp.ts';
import { mcpServers } from '../mcp/mcp-servers.ts';
import { jsonRoute } from '../route.ts';

/** MCP servers. */
export const mcpRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/mcp',
    tag: 'mcp',
    summary: 'The MCP servers that recent runs or scenario files know, with their tools, pins, health and coverage.',
    answer: mcpServersSchema,
    async handle(_request, { desk }) {
      // What runs have seen can be told although the config is wrong.
      const scenarios = await desk.scenarios.scenarios().catch(() => []);
      return mcpServers(await desk.mcpHistory.read(), scenarios);
    },
  }),
];
