import * as z from 'zod';
import { gateResultSchema, scriptResultSchema } from './gate.ts';
import { interactionSchema } from './interaction.ts';
import { judgeOutputSchema } from './judge-protocol.ts';
import { judgeResultSchema } from './judge-result.ts';
import { toolHealthEntrySchema, workflowMetricSchema } from './mcp/findings.ts';

/**
 * The kinds of findings that an evaluator may add to a trial's record beside its answer; a new kind is a line here.
 * Lists gather the findings of all evaluators of a trial; of any other kind a trial has one.
 */
export const structuredFindingsSchema = z.object({
  criteria: judgeOutputSchema.nullable(),
  judge: judgeResultSchema.nullable(),
  interaction: interactionSchema.nullable().default(null),
  gates: z.array(gateResultSchema).default([]),
  scripts: z.array(scriptResultSchema).default([]),
  toolHealth: z.array(toolHealthEntrySchema).default([]).describe('tests of a suite against an MCP server'),
  workflow: z.array(workflowMetricSchema).default([]).describe('scores of an MCP workflow'),
});
export type StructuredFindings = z.infer<typeof structuredFindingsSchema>;

const kinds: readonly { readonly name: string; readonly isList: boolean }[] = Object.entries(
  structuredFindingsSchema.shape,
).map(([name, schema]) => ({ name, isList: schema instanceof z.ZodDefault && schema.unwrap() instanceof z.ZodArray }));

/** The findings of a trial before any evaluator has run. */
export function noFindings(): StructuredFindings {
  const empty: Record<string, unknown> = {};
  for (const { name, isList } of kinds) empty[name] = isList ? [] : null;
  return empty as StructuredFindings;
}

/** Adds the findings of one evaluator to those of the trial. */
export function addFindings(findings: StructuredFindings, added: Partial<StructuredFindings>): void {
  const all = findings as Record<string, unknown>;
  const more = added as Record<string, unknown>;
  for (const { name, isList } of kinds) {
    const value = more[name];
    if (value === undefined) continue;
    all[name] = isList ? [...(all[name] as unknown[]), ...(value as unknown[])] : value;
  }
}
