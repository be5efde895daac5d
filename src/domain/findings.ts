import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';
import { gateResultSchema, scriptResultSchema } from './gate.ts';
import { interactionSchema } from './interaction.ts';
import { judgeOutputSchema } from './judge-protocol.ts';
import { judgeResultSchema } from './judge-result.ts';
import { toolHealthEntrySchema, workflowMetricSchema } from './mcp-findings.ts';

/**
 * The kinds of findings that an evaluator may add to a trial's record beside its answer; a new kind is a line here
 * and one in `noFindings`.
 * Lists gather the findings of all evaluators of a trial; of any other kind a trial has one.
 */
export const structuredFindingsSchema = lazySchema(() =>
  z.object({
    criteria: judgeOutputSchema.nullable(),
    judge: judgeResultSchema.nullable(),
    interaction: interactionSchema.nullable().default(null),
    gates: z.array(gateResultSchema).default([]),
    scripts: z.array(scriptResultSchema).default([]),
    toolHealth: z.array(toolHealthEntrySchema).default([]).describe('tests of a suite against an MCP server'),
    workflow: z.array(workflowMetricSchema).default([]).describe('scores of an MCP workflow'),
  }),
);
export type StructuredFindings = z.infer<typeof structuredFindingsSchema>;

/** The findings of a trial before any evaluator has run. */
export function noFindings(): StructuredFindings {
  return { criteria: null, judge: null, interaction: null, gates: [], scripts: [], toolHealth: [], workflow: [] };
}

/** The structured findings of a record. */
export function findingsOf(record: StructuredFindings): StructuredFindings {
  const { criteria, judge, interaction, gates, scripts, toolHealth, workflow } = record;
  return { criteria, judge, interaction, gates, scripts, toolHealth, workflow };
}

/** Adds the findings of one evaluator to those of the trial; evaluators come from elsewhere too, so others are ignored. */
export function addFindings(findings: StructuredFindings, added: Partial<StructuredFindings>): void {
  const all = findings as Record<string, unknown>;
  for (const [name, value] of Object.entries(added)) {
    if (value === undefined || !(name in emptyFindings)) continue;
    const isList = Array.isArray(emptyFindings[name]);
    all[name] = isList ? [...(all[name] as unknown[]), ...(value as unknown[])] : value;
  }
}

/** Without a prototype: names of evaluators from elsewhere are looked up in it. */
const emptyFindings: Readonly<Record<string, unknown>> = Object.assign(Object.create(null), noFindings());
