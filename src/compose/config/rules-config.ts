import * as z from 'zod';
import { judgeSectionSchema } from '../../load/scenarios/formats/judge-section.ts';
import type { DriftFigure } from '../../report/compare/drift.ts';
import { traceMatchSchema } from './collect-config.ts';

/** Figures of a rule that are watched for drift. */
const driftFigures = ['pass-rate', 'errors', 'duration'] as const satisfies readonly DriftFigure[];

const driftSchema = z.strictObject({
  figures: z
    .array(z.enum(driftFigures))
    .min(1)
    .default(['pass-rate', 'errors'])
    .describe('`pass-rate` (falls), `errors` (traces that could not be judged: rise) and `duration` of traces (rises)'),
  referenceTraces: z
    .int()
    .min(20)
    .max(100_000)
    .default(200)
    .describe('later runs are compared with the first runs that together have so many judged traces'),
  since: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('runs before this time do not count: set it to begin with another reference'),
  errorRate: z
    .number()
    .gt(0)
    .max(0.5)
    .default(0.05)
    .describe('highest probability of a false alarm of this rule, however long it is watched'),
});
export type DriftConfig = z.output<typeof driftSchema>;

const ruleSchema = z
  .strictObject({
    match: traceMatchSchema.prefault({}).describe('which traces are judged; by default all that are kept'),
    scenario: z
      .string()
      .min(1)
      .optional()
      .describe('scenario file with the assertions; one of several cases is found by `assay.case` of the trace'),
    evaluators: z
      .array(z.unknown())
      .min(1)
      .optional()
      .describe('assertions and metrics, as in a scenario, instead of `scenario`'),
    judge: judgeSectionSchema.optional().describe('verdict of a judge model, as in a scenario, instead of `scenario`'),
    sample: z
      .number()
      .gt(0)
      .max(1)
      .default(1)
      .describe('share of these traces that is judged; which ones follows from their ids and the name of the rule'),
    maxUsdPerDay: z
      .number()
      .positive()
      .optional()
      .describe('most US dollars that judging may cost per day in UTC; further traces end as `error`'),
    runs: z.enum(['hour', 'day']).default('day').describe('how often a new run begins, in UTC'),
    drift: driftSchema.optional().describe('compare each run with the first ones, and alert when the figures drift'),
  })
  .refine(({ scenario, evaluators, judge }) => (scenario === undefined) !== ((evaluators ?? judge) === undefined), {
    message: 'must have either `scenario`, or `evaluators` or `judge`',
  });
export type RuleConfig = z.output<typeof ruleSchema>;

/** `rules:` of the project's config. */
export const rulesSchema = z.record(
  z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/, 'must be a name of letters, digits, `.`, `_` and `-`'),
  ruleSchema,
);
