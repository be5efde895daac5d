import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';
import { serverParts, suiteTestKinds } from './run-options/server-parts.ts';

/** Server feature that a test of a suite uses. */
export const suiteTestKindSchema = z.enum(suiteTestKinds);
export type SuiteTestKind = z.infer<typeof suiteTestKindSchema>;

/** Subject of a scenario about an MCP server: one kind of suite, or a workflow. */
export const serverPartSchema = z.enum(serverParts);
export type ServerPart = z.infer<typeof serverPartSchema>;

/** Result of one test of a suite against an MCP server. */
export const toolHealthEntrySchema = lazySchema(() =>
  z.object({
    testName: z.string(),
    toolName: z.string().describe('tool, resource, prompt or capability that was tested'),
    kind: suiteTestKindSchema.default('tool'),
    state: z.enum(['pass', 'fail', 'error']).describe('error: the test could not be judged because of the server'),
    passed: z.boolean(),
    score: z.number(),
    latency: z
      .number()
      .nullable()
      .describe('milliseconds of the attempt that decided; null where none was made, or the tool did not answer it'),
    totalLatency: z.number().nullable().describe('milliseconds of all attempts and the waits between them'),
    details: z.string(),
    error: z.string().optional(),
    retryCount: z.number(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  }),
);
export type ToolHealthEntry = z.infer<typeof toolHealthEntrySchema>;

/** Mean of the tests that called something; null where none did. */
export function averageLatency(entries: readonly ToolHealthEntry[]): number | null {
  const measured = entries.flatMap(({ latency }) => (latency === null ? [] : [latency]));
  return measured.length === 0 ? null : measured.reduce((sum, latency) => sum + latency, 0) / measured.length;
}

/** One of the figures that a workflow is scored by. */
export const workflowMetricSchema = lazySchema(() =>
  z.object({
    metric: z.string(),
    passed: z.boolean(),
    score: z.number().min(0).max(1),
    details: z.string(),
    state: z.literal('error').optional().describe('it could not be judged, and its score is not counted'),
    metadata: z.record(z.string(), z.unknown()).optional(),
  }),
);
export type WorkflowMetric = z.infer<typeof workflowMetricSchema>;

/** The mean of all figures of a workflow, that of the judge included when it ran; null where there are none. */
export function workflowScore(metrics: readonly WorkflowMetric[]): number | null {
  const judged = metrics.filter(({ state }) => state !== 'error');
  if (judged.length === 0) return null;
  return judged.reduce((sum, { score }) => sum + score, 0) / judged.length;
}
