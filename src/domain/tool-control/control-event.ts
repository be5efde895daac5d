import * as z from 'zod';
import { borderSchema, faultKindsSchema } from './fault-kinds.ts';

/** Ways in which Assay acts on a call instead of only watching it. */
export const controlKindSchema = z.enum(['mock', 'simulate', 'replay', 'fault', 'attack']);
export type ControlKind = z.infer<typeof controlKindSchema>;

/** How a model played a tool in one call. */
const simulationSchema = z.object({
  model: z.string(),
  promptVersion: z.string(),
  state: z.record(z.string(), z.unknown()).describe('of the simulated tools after the call'),
});

/** Something that Assay did to a call, so the agent met something else than the real tool. */
export const controlActionSchema = z.object({
  border: z
    .enum([...borderSchema.options, 'files'])
    .describe('`files`: in the work directory; `call`: of a tool that is called directly'),
  server: z.string().optional().describe('the MCP server of the tool, by the name that its user gave it'),
  tool: z.string().describe('name of the tool, the program, the model, the resource or the file'),
  callNumber: z.int().min(1).describe('of the calls of this tool in the trial'),
  kind: controlKindSchema,
  rule: z.string().describe('name of the rule, or its place in the file'),
  what: z.string().describe('what was done, in a few words'),
  fault: faultKindsSchema.optional().describe('kind of the fault; absent in traces of earlier versions'),
  message: z.string().optional().describe('text of the fault, where its file gives one'),
  simulation: simulationSchema.optional().describe('where a model played the tool'),
});
export type ControlAction = z.infer<typeof controlActionSchema>;

/** Calls of one tool that one fault broke in a trial. */
export const brokenCallsSchema = controlActionSchema
  .pick({ border: true, server: true, tool: true, message: true })
  .extend({ fault: faultKindsSchema.describe('kind of the fault'), calls: z.int().min(1).describe('how many') });
export type BrokenCalls = z.infer<typeof brokenCallsSchema>;

/** How often each kind of control acted in a trial; a kind that was set up and never acted has 0. */
export const controlFactsSchema = z.partialRecord(controlKindSchema, z.int().min(0));
export type ControlFacts = z.infer<typeof controlFactsSchema>;
