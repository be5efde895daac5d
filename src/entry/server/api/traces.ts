import * as z from 'zod';
import { outcomeSchema } from '../../../domain/outcome.ts';
import { pageOf, pagingQuery } from './paging.ts';
import { trendSchema } from './runs.ts';

/** The rules of the config that judge collected traces. */
export const ruleListSchema = z.object({
  items: z.array(
    z.object({
      rule: z.string(),
      drift: z
        .object({
          state: z.enum(['drift', 'no-drift', 'not-enough-data']),
          looks: z.number().describe('periods after the reference'),
          figures: z.array(z.string()).describe('each figure in words'),
        })
        .nullable()
        .describe('null for a rule that is not watched'),
      trend: trendSchema.describe('its runs that ended, the oldest first'),
      current: z
        .object({ runId: z.string(), pass: z.number(), fail: z.number(), error: z.number() })
        .nullable()
        .describe('the run that goes on; null: none does'),
    }),
  ),
});
export type RuleList = z.infer<typeof ruleListSchema>;

/** How a rule judged a trace. */
const ruleVerdictSchema = z.object({
  rule: z.string(),
  trialId: z.string().describe('the trial in which it judged the trace'),
  outcome: outcomeSchema,
  reason: z.string(),
});

export const collectedTracesQuery = z.object({
  ...pagingQuery,
  limit: z.coerce.number().int().min(1).max(100).default(50),
  run: z.string().max(100).optional().describe('of one period; the newest where it is absent'),
});

/** The traces that were collected in a period, each with the verdicts of the rules on it. */
export const collectedTracesSchema = pageOf(
  z.object({
    trialId: z.string(),
    service: z.string(),
    caseId: z.string(),
    input: z.string().nullable().describe('how its input begins'),
    outcome: outcomeSchema.describe('`skipped` unless the sender or its file judged it'),
    startedAt: z.number(),
    durationMs: z.number().nullable(),
    costUsd: z.number().nullable(),
    verdicts: z.array(ruleVerdictSchema),
  }),
).extend({
  runId: z.string().nullable().describe('of the period; null: nothing was collected'),
  total: z.number().describe('traces of the period'),
  periods: z.array(z.object({ runId: z.string(), name: z.string(), isLive: z.boolean() })).describe('the newest first'),
});
export type CollectedTraces = z.infer<typeof collectedTracesSchema>;
export type CollectedTraceItem = CollectedTraces['items'][number];
