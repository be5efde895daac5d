import * as z from 'zod';

const paths = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional();
const data = z.union([z.string().min(1), z.record(z.string(), z.unknown())]).optional();

const armSchema = z
  .strictObject({
    plugins: paths.describe('folders of plug-ins or extensions'),
    hooks: data.describe('hooks by event, a file with them, or a folder with `hooks.json` and scripts'),
    subagents: paths.describe('files of sub-agents in Markdown, or folders of them'),
    permission_mode: z.string().min(1).optional().describe('permission mode of the agent, in its own word'),
    settings: data.describe('settings of the agent in its own form, or a file with them'),
    agents: paths.describe('agents that get it; all without it'),
  })
  .refine(({ agents: _agents, ...parts }) => Object.values(parts).some((part) => part !== undefined), {
    error: 'a harness needs at least one part; write `null` for none',
  })
  .nullable();

/** The section `harness` of a scenario. */
export const harnessSectionSchema = z
  .record(z.string().min(1), armSchema)
  .refine((arms) => Object.keys(arms).length > 0, 'name at least one harness')
  .optional()
  .describe(
    'how the agent is set up, one variant each: plug-ins, hooks, sub-agents, permission mode and settings; null for none',
  );
export type HarnessSection = z.output<typeof harnessSectionSchema>;
export type HarnessArm = NonNullable<z.output<typeof armSchema>>;
