import { AssayError } from '../../../domain/errors.ts';
import { defineTarget } from '../target.ts';
import { agentWorkflowConfigSchema } from './agent-workflow/agent-workflow-config.ts';

/** An MCP server whose tools a coding agent uses for what a user asks for. */
export const mcpAgentWorkflowTarget = defineTarget({
  type: 'mcp-agent-workflow',
  summary: 'an MCP server whose tools a coding agent uses for what a user asks for',
  callKey: null,
  provides: ['workspace', 'turns'],
  isAgentDriven: true,
  configSchema: agentWorkflowConfigSchema,
  async open(config, context) {
    if (!context.agentWork) throw new AssayError('INTERNAL', 'There are no agents here that could use an MCP server.');
    // Most runs have no agent, and then none of this need be loaded.
    const { AgentWorkflowTarget } = await import('./agent-workflow/agent-workflow-target.ts');
    return new AgentWorkflowTarget(config, context, await context.agentWork());
  },
});
