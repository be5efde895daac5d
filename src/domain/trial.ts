import * as z from 'zod';
import type { Case, Scenario } from './scenario.ts';

/** One agent x model x guidance, or connector x persona x model; empty for a tool that is called directly. */
export const variantSchema = z.object({
  agent: z.string().optional(),
  model: z.string().optional(),
  guidance: z.string().optional(),
  connector: z.string().optional(),
  persona: z.string().optional(),
  description: z.string().optional().describe('which wording of the tools of an MCP server'),
});
export type Variant = z.infer<typeof variantSchema>;

/** One execution of one case of a scenario under one variant. */
export interface Trial {
  readonly trialId: string;
  readonly runId: string;
  /** Position in the plan, from 0: reports list trials in this order, whatever order they finished in. */
  readonly ordinal: number;
  readonly scenario: Scenario;
  readonly case: Case;
  readonly variant: Variant;
  readonly repeat: number;
}
