import * as z from 'zod';
import { serverDefinitionSchema } from '../../mcp/server-definition.ts';
import { toolRewritesSchema } from '../../mcp/tool-rewrites.ts';
import { defineTarget } from '../target.ts';

/** The server of a workflow, and the wordings of its tools by the names that variants use. */
export const workflowConfigSchema = () =>
  z.strictObject({
    server: serverDefinitionSchema().describe('how the MCP server is started or reached'),
    timeoutMs: z
      .number()
      .min(1)
      .default(30_000)
      .describe('time limit of one request to the server in milliseconds; agents have their own limits'),
    wordings: z
      .record(z.string(), toolRewritesSchema())
      .optional()
      .describe('rewritten tool definitions, by the `description` of the variant'),
    subsets: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .describe('tools that are offered, by the `surface` of the variant'),
  });
export type WorkflowConfig = z.output<ReturnType<typeof workflowConfigSchema>>;

/** An MCP server whose tools a model uses for what a user asks for, step by step. */
export const mcpWorkflowTarget = defineTarget({
  type: 'mcp-workflow',
  summary: 'an MCP server whose tools a model uses on behalf of a user, step by step',
  callKey: null,
  provides: ['turns'],
  preparesItself: true,
  configSchema: workflowConfigSchema,
  async open(config, context) {
    // Most runs have no workflow, and then none of this need be loaded.
    const { WorkflowTarget } = await import('./workflow/workflow-target.ts');
    return new WorkflowTarget(config, context);
  },
});
