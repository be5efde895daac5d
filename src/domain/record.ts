import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';
import { approvalFactsSchema } from './approval-facts.ts';
import { attackFindingSchema } from './attacks/attack-event.ts';
import { continuationSchema } from './continuation.ts';
import { trialCostsSchema } from './costs.ts';
import { recordedCoverageSchema } from './coverage-schema.ts';
import { excerptSchema } from './excerpt.ts';
import { structuredFindingsSchema } from './findings.ts';
import { evaluatorResultSchema, faultSchema, outcomeSchema } from './outcome.ts';
import { brokenCallsSchema, controlFactsSchema } from './tool-control/control-event.ts';
import { usageSchema } from './usage.ts';
import { variantSchema } from './variant.ts';

/** Tokens and cost by spender. */
const spendingShape = () => ({
  targetUsage: usageSchema
    .nullable()
    .optional()
    .describe('part of `usage` that the target spent; absent if it spent all of it'),
  judgeUsage: usageSchema.optional().describe('part of `usage` that judges spent; absent if none was prompted'),
  costs: trialCostsSchema.optional().describe('`costUsd` by spender; absent if unknown'),
});

/** Parts of the trial in which Assay stood in, beside tools. */
const standInShape = () => ({
  isReplayed: z
    .literal(true)
    .optional()
    .describe('a recording answered for the model of the agent: cost and duration are not those of a model'),
  hasSimulatedUser: z.literal(true).optional().describe('a model played the user of the conversation'),
  approvals: approvalFactsSchema
    .optional()
    .describe('approval requests that Assay answered in place of the user; absent where there were none and no policy'),
});

/** Findings of the evaluators, in the shapes that reports and scripts rely on. */
export const trialFindingsSchema = lazySchema(() =>
  z.object({
    evaluatorResults: z.array(evaluatorResultSchema),
    metrics: z.record(z.string(), z.number().nullable()).describe('null: not observed'),
    ...structuredFindingsSchema.shape,
    turns: z
      .array(z.object({ turn: z.number(), results: z.array(evaluatorResultSchema) }))
      .default([])
      .describe('results of the evaluators after each answer of a conversation, where it has several'),
    workflowScore: z.number().nullable().default(null).describe('mean of the scores of `workflow`'),
    toolPins: z
      .record(z.string(), z.string())
      .nullable()
      .default(null)
      .describe('SHA-256 of the definition of every tool that the MCP server has'),
    compositeScore: z.number().nullable().default(null),
    artifacts: z.string().nullable().default(null).describe('folder of its files, relative to the artifacts folder'),
    toolError: z
      .object({ name: z.string().optional(), message: z.string() })
      .nullable()
      .default(null)
      .describe('error that a directly called tool threw or returned'),
    ...spendingShape(),
    cachedFrom: z.string().nullable().default(null).describe('id of the trial whose result was reused'),
    hasReusedVerdict: z
      .literal(true)
      .optional()
      .describe('the verdict of a judge on the same input was reused from an earlier run'),
    ...standInShape(),
    continuation: continuationSchema
      .optional()
      .describe('how it went on after its process had ended; absent where it ran in one piece'),
    timedOut: z
      .literal(true)
      .optional()
      .describe('the time limit ended the agent, and the outcome is that of the work it left; absent otherwise'),
    cluster: z.string().optional().describe('cases of one cluster resemble each other; absent where none is declared'),
    sourceSpan: z
      .object({ traceId: z.string(), spanId: z.string() })
      .optional()
      .describe('first span of the trace of an application that the trial was made of; absent for other trials'),
    control: controlFactsSchema
      .optional()
      .describe('how often tools were mocked, replayed, broken or attacked; absent where they were left alone'),
    unusedMocks: z
      .array(z.string())
      .optional()
      .describe('places of mocks that answered no call; absent where each answered one'),
    attack: attackFindingSchema.optional().describe('how the planted attack ended; absent where there was none'),
    brokenCalls: z.array(brokenCallsSchema).optional().describe('calls that faults broke; absent where none did'),
    coverage: recordedCoverageSchema
      .optional()
      .describe(
        'channels that were not observed completely; the others were. Absent for tools that were called directly',
      ),
    excerpt: excerptSchema.optional().describe('how its texts begin; absent in records of earlier versions'),
    fault: faultSchema.nullable(),
  }),
);
export type TrialFindings = z.infer<typeof trialFindingsSchema>;

/** Which trial it is: enough to name it, and to find it in the plan of its run. */
export const trialPlaceSchema = lazySchema(() =>
  z.object({
    trialId: z.string(),
    ordinal: z.number(),
    scenario: z.string(),
    file: z.string(),
    caseId: z.string(),
    variant: variantSchema,
    repeat: z.number(),
  }),
);

/** How a trial ended and what it took, in a few words and figures. */
const trialEndingSchema = lazySchema(() =>
  z.object({
    outcome: outcomeSchema,
    reason: z.string(),
    startedAt: z.number().describe('milliseconds since 1970'),
    durationMs: z.number().nullable().describe('null: not measured'),
    costUsd: z.number().nullable().describe('null: not reported; 0: no paid call was made'),
  }),
);

/** A trial and how it ended, without the findings. */
export const trialHeadSchema = lazySchema(() =>
  z.object({
    runId: z.string(),
    ...trialPlaceSchema.shape,
    ...trialEndingSchema.shape,
  }),
);

/** Stored record of a trial; its trace is stored separately and loaded only on request. */
export const trialRecordSchema = lazySchema(() =>
  z.object({
    ...trialHeadSchema.shape,
    usage: usageSchema.nullable(),
    ...trialFindingsSchema.shape,
  }),
);
export type TrialRecord = z.infer<typeof trialRecordSchema>;
