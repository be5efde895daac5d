import { defineTarget } from '../target.ts';
import { workflowConfigSchema } from './workflow/workflow-config.ts';

/** An MCP server whose tools a model uses for what a user asks for, step by step. */
export const mcpWorkflowTarget = defineTarget({
  type: 'mcp-workflow',
  summary: 'an MCP server whose tools a model uses for what a user asks for, step by step',
  callKey: null,
  provides: ['turns'],
  configSchema: workflowConfigSchema,
  async open(config, context) {
    // Most runs have no workflow, and then none of this need be loaded.
    const { WorkflowTarget } = await import('./workflow/workflow-target.ts');
    return new WorkflowTarget(config, context);
  },
});
