import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import { isolationTierSchema } from '../../../domain/isolation-tier.ts';
import { defineTarget } from '../target.ts';
import { workflowConfigSchema } from './mcp-workflow-target.ts';

/** The server of a workflow that an agent drives, and the isolation of the agent. */
export const agentWorkflowConfigSchema = () =>
  workflowConfigSchema().extend({
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
  preparesItself: true,
  configSchema: agentWorkflowConfigSchema,
  async open(config, context) {
    if (!context.agentWork) throw new AssayError('INTERNAL', 'No agents are configured to use an MCP server.');
    // Most runs have no agent, and then none of this need be loaded.
    const { AgentWorkflowTarget } = await import('./agent-workflow/agent-workflow-target.ts');
    return new AgentWorkflowTarget(config, context, await context.agentWork());
  },
});
