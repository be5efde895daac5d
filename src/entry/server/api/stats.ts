import * as z from 'zod';
import { outcomeSchema } from '../../../domain/outcome.ts';
import { metricMeanSchema } from './runs.ts';

export const scenarioStatsQuery = z.object({ scenario: z.string().min(1).max(500).describe('its name') });

/** How one scenario did in one run. Reused and replayed trials took no time in this run, and are not measured. */
const scenarioRunSchema = z.object({
  runId: z.string(),
  name: z.string().nullable(),
  startedAt: z.number(),
  totals: z.object({ pass: z.number(), fail: z.number(), error: z.number() }),
  passRate: z
    .object({ rate: z.number(), low: z.number(), high: z.number(), judged: z.number() })
    .nullable()
    .describe('by case, with its 95 % interval; null: nothing was judged'),
  latency: z
    .object({
      trials: z.number(),
      meanMs: z.number(),
      medianMs: z.number(),
      p95Ms: z.number(),
      slowestMs: z.number(),
    })
    .nullable()
    .describe('of measured trials; null: none was measured'),
  tokens: z
    .object({ trials: z.number(), meanInput: z.number(), meanOutput: z.number() })
    .nullable()
    .describe('of trials that reported tokens; null: none did'),
  scores: z
    .array(metricMeanSchema)
    .describe('scores, metrics and cost of judged trials; those not observed are absent'),
  trials: z
    .array(
      z.object({ trialId: z.string(), caseId: z.string(), outcome: outcomeSchema, durationMs: z.number().nullable() }),
    )
    .describe('the first few, in plan order; `durationMs` null: not measured'),
  isCut: z.boolean().describe('latency, tokens and scores are those of the first trials only'),
});
export type ScenarioRun = z.infer<typeof scenarioRunSchema>;

export const scenarioStatsSchema = z.object({
  scenario: z.string(),
  runs: z.array(scenarioRunSchema).describe('the last 20 that ended, the oldest first'),
});
export type ScenarioStats = z.infer<typeof scenarioStatsSchema>;
