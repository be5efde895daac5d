import * as z from 'zod';
import { serverDefinitionSchema } from '../../mcp/server-definition.ts';
import { defineTarget } from '../target.ts';

const configSchema = () =>
  z.strictObject({
    server: serverDefinitionSchema().describe('how the MCP server is started or reached'),
    tool: z.string().min(1).describe('tool to call; the input is its arguments'),
  });
export type ToolCallConfig = z.output<ReturnType<typeof configSchema>>;

/** One tool of an MCP server, called with the input as its arguments. */
export const mcpToolTarget = defineTarget({
  type: 'mcp-tool',
  summary: 'a tool of an MCP server: arguments in, content of its result out',
  callKey: 'server',
  provides: ['call-answer'],
  preparesItself: true,
  configSchema,
  async open(config, context) {
    // Most runs call no MCP server, and then none of this need be loaded.
    const { ToolCallTarget } = await import('./suite/tool-call-target.ts');
    return new ToolCallTarget(config, context);
  },
});
