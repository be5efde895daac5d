import * as z from 'zod';

/** Everything that an agent could see. Folders that lie elsewhere in every trial stand by name, such as `<assay:work>`. */
export const agentViewSchema = z.object({
  root: z
    .enum(['system', 'machine', 'image'])
    .describe(
      'what lies beside the places: read-only folders of the system, all that the user may use, or the image of the container',
    ),
  places: z
    .array(z.object({ path: z.string(), mode: z.enum(['read', 'write', 'hidden']) }))
    .describe('files and folders that the trial was given, and those in them that were hidden'),
  variables: z.array(z.string()).describe('names of the environment variables'),
  network: z.enum(['open', 'model-only', 'allow-list', 'none']).describe('what the agent could reach'),
  hosts: z.array(z.string()).optional().describe('hosts of the allow-list and of MCP servers'),
});
export type AgentView = z.infer<typeof agentViewSchema>;
