import * as z from 'zod';
import { serverDefinitionSchema } from '../../mcp/server-definition.ts';
import { defineConnector } from '../connector.ts';
import { placeholderNames, unknownPlaceholders } from '../http/placeholders.ts';

const placeholders = placeholderNames.map((name) => `{{${name}}}`).join(', ');

const configSchema = () =>
  z.strictObject({
    server: serverDefinitionSchema()
      .optional()
      .describe('how the MCP server is started or reached; without it `baseUrl` is spoken to over streamable HTTP'),
    tool: z.string().min(1).describe('the tool that passes a message to the agent'),
    arguments: z
      .record(z.string(), z.unknown())
      .default({ message: '{{message}}' })
      .superRefine((value, context) => {
        for (const { path, name } of unknownPlaceholders(value)) {
          const message = `unknown placeholder \`{{${name}}}\`; there are ${placeholders}`;
          context.addIssue({ code: 'custom', path, message });
        }
      })
      .describe(`what the tool is called with, any JSON with ${placeholders}`),
    timeoutMs: z.int().min(1).default(120_000).describe('for one answer'),
  });
export type McpAgentConfig = z.output<ReturnType<typeof configSchema>>;

/** An agent that is published as a tool of an MCP server. */
export const mcpAgentConnector = defineConnector({
  type: 'mcp-agent',
  label: 'Agent behind an MCP tool',
  summary: 'an agent that is talked to through a tool of an MCP server',
  reports: ['latency'],
  configSchema,
  async open(config, settings, context) {
    // Most runs have no such agent, and then none of this need be loaded.
    const { openMcpAgent } = await import('./open-mcp-agent.ts');
    return openMcpAgent(config, settings, context);
  },
});
