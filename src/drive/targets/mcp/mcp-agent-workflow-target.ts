import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import { isolationTierSchema } from '../../../domain/isolation-tier.ts';
import { serverDefinitionSchema } from '../../mcp/server-definition.ts';
import { toolRewritesSchema } from '../../mcp/tool-rewrites.ts';
import { defineTarget } from '../target.ts';

/** The server of a workflow that an agent drives, and the wordings of its tools by the names that variants use. */
export const agentWorkflowConfigSchema = () =>
  z.strictObject({
    server: serverDefinitionSchema().describe('how the MCP server is started or reached'),
    timeoutMs: z
      .number()
      .min(1)
      .default(30_000)
      .describe('time limit of one request in milliseconds; agents have their own limits'),
    wordings: z
      .record(z.string(), toolRewritesSchema())
      .optional()
      .describe('rewritten tool definitions, by the `description` of the variant'),
    subsets: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .describe('named sets of tools, by the `surface` of the variant'),
    isolation: isolationTierSchema
      .or(z.literal('auto'))
      .optional()
      .describe('isolation of the agent; by default that of the project'),
  });
export type AgentWorkflowConfig = z.output<ReturnType<typeof agentWorkflowConfigSchema>>;

/** An MCP server whose tools a coding agent uses for what a user asks for. */
export const mcpAgentWorkflowTarget = defineTarget({
  type: 'mcp-agent-workflow',
  summary: 'an MCP server whose tools a coding agent uses on behalf of a user',
  callKey: null,
  provides: ['workspace', 'turns'],
  isAgentDriven: true,
  configSchema: agentWorkflowConfigSchema,
  async open(config, context) {
    if (!context.agentWork) throw new AssayError('INTERNAL', 'No agents are configured to use an MCP server.');
    // Most runs have no agent, and then none of this need be loaded.
    const { AgentWorkflowTarget } = await import('./agent-workflow/agent-workflow-target.ts');
    return new AgentWorkflowTarget(config, context, await context.agentWork());
  },
});
