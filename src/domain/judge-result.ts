import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';
import { sumOf } from './cost-sum.ts';
import { faultSchema } from './outcome.ts';
import { sumOfUsage, usageSchema } from './usage.ts';

/** The ways in which a model can be prompted for a verdict. */
export const judgeModeNameSchema = z.enum(['criteria', 'rubric', 'score', 'protocol', 'groundedness']);
export type JudgeModeName = z.infer<typeof judgeModeNameSchema>;

/** Whose words may count as evidence. */
export const evidenceSourceSchema = z.enum(['agent', 'tools', 'user']);
export type EvidenceSource = z.infer<typeof evidenceSourceSchema>;

/** A passage of the trace that a judge rests an answer on; verified when the named event holds those words. */
const evidenceSchema = lazySchema(() =>
  z.object({
    event: z.string(),
    quote: z.string(),
    isVerified: z.boolean(),
    problem: z.string().optional().describe('why it is not verified'),
    file: z.string().optional().describe('of the work directory, where the quote is from a file'),
    line: z.number().optional().describe('where the quote begins in the file, from 1'),
  }),
);
export type Evidence = z.infer<typeof evidenceSchema>;

/** Answer of a judge to a criterion; the third value is neither a yes nor a no. */
export const criterionAnswerSchema = z.enum(['met', 'not-met', 'cannot-tell']);
export type CriterionAnswer = z.infer<typeof criterionAnswerSchema>;

/** One criterion with the judge's answer, after its quotes were looked up in the trace. */
const judgedCriterionSchema = lazySchema(() =>
  z.object({
    id: z.string(),
    kind: z.enum(['success', 'failure', 'weighted', 'claim']),
    text: z.string(),
    answer: criterionAnswerSchema,
    reason: z.string(),
    evidence: z.array(evidenceSchema),
    score: z.number().optional(),
  }),
);
export type JudgedCriterion = z.infer<typeof judgedCriterionSchema>;

/** Something that a judge looked at before it answered. */
const lookSchema = lazySchema(() =>
  z.object({
    id: z.string().describe('by which quotes name it'),
    tool: z.enum(['list', 'read', 'search', 'events']),
    path: z.string().optional().describe('in the work directory'),
    text: z.string().optional().describe('that was searched for'),
    lines: z.string().optional().describe('that were read, such as 1-80'),
    events: z.string().optional().describe('of the trace that were shown without cuts'),
    bytes: z.number().optional(),
    problem: z.string().optional().describe('why there was nothing to see'),
  }),
);
export type Look = z.infer<typeof lookSchema>;

/** Answer of one model to one prompt, including the one repair attempt where it was needed. */
export const judgeAnswerSchema = lazySchema(() =>
  z.object({
    state: z.enum(['pass', 'fail', 'error', 'skipped']),
    mode: judgeModeNameSchema,
    model: z.string().optional(),
    promptVersion: z.string(),
    reason: z.string(),
    score: z.number().optional(),
    threshold: z.number().optional(),
    response: z.unknown().optional(),
    criteria: z.array(judgedCriterionSchema).optional(),
    confidence: z.number().optional().describe("the judge's own figure; never the score"),
    warnings: z.array(z.string()),
    fault: faultSchema.optional(),
    raw: z.string().optional().describe('the reply that could not be read'),
    usage: usageSchema.describe('empty: not known'),
    costUsd: z.number().nullable().describe('null: unknown, such as when a request got no reply'),
    unansweredRequests: z
      .number()
      .optional()
      .describe('requests to the model that may have been billed although no reply came'),
    isCached: z.boolean().optional().describe('the verdict of an earlier run, reused on request'),
    looks: z.array(lookSchema).optional().describe('files and events that the judge looked at first'),
  }),
);
export type JudgeAnswer = z.infer<typeof judgeAnswerSchema>;

/** Judge's answer for a trial; with a panel, each member's answer is kept and `spread` measures how far they differ. */
export const judgeResultSchema = lazySchema(() =>
  judgeAnswerSchema.extend({
    rubricHash: z.string().optional().describe('of the criteria, rubric and thresholds'),
    panel: z.array(judgeAnswerSchema).optional(),
    cascade: z
      .enum(['settled', 'escalated', 'checked'])
      .optional()
      .describe(
        'with a cheap model first: its own verdict, that of the panel, or of the panel as a check of a sure one',
      ),
    spread: z
      .object({ mean: z.number(), standardDeviation: z.number(), min: z.number(), max: z.number() })
      .optional()
      .describe('of the scores of the panel'),
  }),
);
export type JudgeResult = z.infer<typeof judgeResultSchema>;

/** Cost and tokens of the judge. */
export type JudgeSpending = Pick<JudgeAnswer, 'usage' | 'costUsd' | 'unansweredRequests'>;

/** Cost and tokens of several answers; the cost is unknown as soon as one of them is. */
export function totalSpending(parts: readonly JudgeSpending[]): JudgeSpending {
  const unansweredRequests = parts.reduce((sum, part) => sum + (part.unansweredRequests ?? 0), 0);
  return {
    usage: sumOfUsage(parts.map(({ usage }) => usage)) ?? { inputTokens: 0, outputTokens: 0 },
    costUsd: sumOf(parts.map(({ costUsd }) => costUsd)),
    ...(unansweredRequests > 0 && { unansweredRequests }),
  };
}
