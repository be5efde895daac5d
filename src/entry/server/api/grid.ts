import * as z from 'zod';
import { markSchema } from '../../../domain/marks-schema.ts';
import { outcomeSchema } from '../../../domain/outcome.ts';
import { variantSchema } from '../../../domain/variant.ts';
import { pagingQuery } from './paging.ts';

/** Which cases of a run are listed, and in which order. */
export const gridQuery = z.object({
  ...pagingQuery,
  limit: z.coerce.number().int().min(1).max(200).default(50),
  outcome: z.string().max(60).optional().describe('cases with such a trial; several are separated by commas'),
  scenario: z.string().max(500).optional(),
  variant: z.string().max(2_000).optional().describe('as JSON: only its trials'),
  text: z.string().max(200).optional().describe('in the names, input, expected value, answer, reason or a trial id'),
  regex: z.stringbool().default(false).describe('`text` is a regular expression (RE2 syntax)'),
  where: z.string().max(500).optional().describe('metadata of the case, as name=value; a name alone: it has any'),
  figure: z
    .string()
    .max(300)
    .optional()
    .describe(
      'cases with such a trial: duration, cost, `e:` and an evaluator or `m:` and a metric, a sign and a number, as in m:tokens>=3',
    ),
  differs: z.stringbool().default(false).describe('only cases that some variants pass more often than others'),
  sort: z
    .string()
    .max(200)
    .default('plan')
    .describe(
      'plan, problems (failures, then errors, then the rest), passed, duration, cost, `e:` and an evaluator, or `m:` and a metric',
    ),
  direction: z.enum(['asc', 'desc']).default('asc'),
  rater: z.string().max(100).default('').describe('whose labels are shown'),
});

/** How the trials of a case under a variant stand to one evaluator. */
const gridVerdictsSchema = z.object({
  pass: z.number(),
  fail: z.number(),
  error: z.number().describe('no verdict'),
  skipped: z.number(),
  trialId: z.string().describe('an example: one that did not pass, where there is one'),
});

const gridFigureSchema = z.object({
  mean: z.number().nullable().describe('null: observed in no trial'),
  of: z.number().describe('trials in which it was observed'),
  trialId: z.string().describe('an example'),
});

const gridTrialSchema = z.object({
  trialId: z.string(),
  repeat: z.number(),
  outcome: outcomeSchema,
  marks: z.array(markSchema).describe('what Assay stood in for in the trial'),
  label: z.enum(['pass', 'fail']).nullable().describe('of the rater'),
  note: z.string().nullable(),
});

/** A case under one variant. */
const gridArmSchema = z.object({
  variant: variantSchema,
  trials: z.array(gridTrialSchema),
  answer: z.string().nullable().describe('of the example, shortened; null: none was observed'),
  reason: z.string().describe('of the example'),
  trialId: z.string().describe('the example: the first trial that did not pass, else the first one'),
  evaluators: z.record(z.string(), gridVerdictsSchema),
  metrics: z.record(z.string(), gridFigureSchema),
  durationMs: z.number().nullable().describe('mean; null: not measured in each trial'),
  costUsd: z.number().nullable().describe('mean; null: not reported by each trial'),
});
export type GridArm = z.infer<typeof gridArmSchema>;

/** One case of a run: its texts, and its trials by variant. */
const gridRowSchema = z.object({
  scenario: z.string(),
  file: z.string(),
  caseId: z.string(),
  input: z.string().nullable().describe('shortened; null: none was observed'),
  expected: z.string().nullable().describe('shortened; null: the case names none, or the record does not have it'),
  metadata: z.record(z.string(), z.string()),
  arms: z.array(gridArmSchema),
});
export type GridRow = z.infer<typeof gridRowSchema>;

/** A page of the cases of a run. */
export const gridSchema = z.object({
  items: z.array(gridRowSchema),
  next: z.string().nullable(),
  total: z.number().nullable().describe('cases that match; null: not counted'),
  cases: z.number().describe('that the run has by its files'),
  unsearched: z.number().describe('trials whose texts could not be searched: their records do not have them'),
  columns: z
    .object({ evaluators: z.array(z.string()), metrics: z.array(z.string()), metadata: z.array(z.string()) })
    .describe('that occur on this page'),
});
export type Grid = z.infer<typeof gridSchema>;
