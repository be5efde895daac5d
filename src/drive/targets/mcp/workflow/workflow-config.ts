import * as z from 'zod';
import { toolRewritesSchema } from '../../../mcp/rewrites.ts';
import { serverDefinitionSchema } from '../../../mcp/server-definition.ts';

/** The server of a workflow, and the wordings of its tools by the names that variants use. */
export const workflowConfigSchema = () =>
  z.strictObject({
    server: serverDefinitionSchema().describe('how the MCP server is started or reached'),
    timeoutMs: z.number().min(1).default(30_000).describe('for one request to the server'),
    wordings: z.record(z.string(), toolRewritesSchema()).optional().describe('by the `description` of the variant'),
  });
export type WorkflowConfig = z.output<ReturnType<typeof workflowConfigSchema>>;
