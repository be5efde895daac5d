import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';

/** Where the commands of a trial are known from, best first. */
const commandSourceSchema = z.enum(['recorder', 'agent-events', 'events-file', 'transcript', 'none']);
export type CommandSource = z.infer<typeof commandSourceSchema>;

const count = lazySchema(() => z.int().min(0));
const share = lazySchema(() => z.number().min(0).max(1));

const figures = {
  total_commands: count,
  unique_commands: count,
  error_count: count,
  error_rate: share,
  retry_count: count,
  retry_rate: share,
  retries_after_failure: count,
  help_invocations: count,
  first_try_success_rate: share,
  iteration_ratio: share,
};

/** Where two sources of commands disagree: how many commands and errors each of them saw. */
const disagreementSchema = lazySchema(() =>
  z.object({
    source: commandSourceSchema,
    total_commands: count,
    error_count: count,
    message: z.string(),
  }),
);

/** How well the agent used the tool: diagnostic, and never part of the outcome. Spellings are those of seed 002. */
export const interactionSchema = lazySchema(() =>
  z.object({
    source: commandSourceSchema,
    ...figures,
    completed: z.boolean().nullable().describe('null: the end of the agent was not recorded'),
    subcommands: z.record(z.string(), z.object(figures)),
    unrecorded: z.array(z.string()).describe('command lines that bypassed the recorder'),
    disagreements: z.array(disagreementSchema),
  }),
);
export type Interaction = z.infer<typeof interactionSchema>;

const shares: readonly string[] = Object.entries(figures).flatMap(([name, schema]) => (schema === share ? [name] : []));

/** Whether a figure is a share of the commands: without commands there is none. */
export function isShare(name: string): boolean {
  return shares.includes(name);
}
