import * as z from 'zod';

/** One agent x model x guidance x skills, or connector x persona x model; empty for a tool that is called directly. */
export const variantSchema = z.object({
  agent: z.string().optional(),
  model: z.string().optional(),
  guidance: z.string().optional(),
  skills: z.string().optional().describe('which skills were laid down for the agent'),
  connector: z.string().optional(),
  persona: z.string().optional(),
  description: z.string().optional().describe('which wording of the tools of an MCP server'),
  surface: z.string().optional().describe('how the tools of an MCP server are offered to the model'),
  faults: z.string().optional().describe('which named set of faults breaks calls; `none` without faults'),
  harness: z
    .string()
    .optional()
    .describe('which plug-ins, hooks, sub-agents, permission mode and settings the agent had'),
  approvals: z.string().optional().describe('which named policy answers what the agent asks for'),
  attack: z.string().optional().describe('which attack is planted and where; `none` for the trials without one'),
});
export type Variant = z.infer<typeof variantSchema>;

/** Names of the parts that a variant may have. */
export const variantParts = Object.keys(variantSchema.shape) as (keyof Variant)[];
