import * as z from 'zod';
import { isolationTierSchema } from '../../../../domain/trace.ts';
import { toolRewritesSchema } from '../../../mcp/rewrites.ts';
import { serverDefinitionSchema } from '../../../mcp/server-definition.ts';

/** The server of a workflow that an agent drives, and the wordings of its tools by the names that variants use. */
export const agentWorkflowConfigSchema = () =>
  z.strictObject({
    server: serverDefinitionSchema().describe('how the MCP server is started or reached'),
    timeoutMs: z.number().min(1).default(30_000).describe('for one request; agents have limits of their own'),
    wordings: z.record(z.string(), toolRewritesSchema()).optional().describe('by the `description` of the variant'),
    isolation: isolationTierSchema.or(z.literal('auto')).optional().describe('without it, that of the project'),
  });
export type AgentWorkflowConfig = z.output<ReturnType<typeof agentWorkflowConfigSchema>>;
