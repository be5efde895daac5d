import * as z from 'zod';

/** A judged trial to label, without the verdicts of judge and assertions. */
export const reviewItemSchema = z.object({
  trialId: z.string(),
  runId: z.string(),
  scenario: z.string(),
  caseId: z.string(),
  question: z.string().describe('the question for the judge: criteria, rubric or what to score'),
  durationMs: z.number().nullable().describe('of the trial; null: not measured'),
  label: z.enum(['pass', 'fail']).nullable().describe('given earlier by this rater'),
  note: z.string().nullable(),
});
export type ReviewItem = z.infer<typeof reviewItemSchema>;

export const reviewQuery = z.object({
  run: z.string().optional(),
  rater: z.string().max(100).default(''),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export const reviewQueueSchema = z.object({
  items: z.array(reviewItemSchema),
  labelled: z.number(),
  judged: z.number().describe('trials that there are to label'),
  file: z.string().describe('where labels are kept'),
});
export type ReviewQueue = z.infer<typeof reviewQueueSchema>;

export const writeLabelSchema = z.strictObject({
  trialId: z.string().min(1),
  label: z.enum(['pass', 'fail']).nullable().describe('null takes a label back'),
  rater: z.string().max(100).default(''),
  note: z.string().max(5_000).optional(),
  sawVerdict: z
    .boolean()
    .optional()
    .describe('the verdict was in sight: any trial can be labelled so, and the label says nothing about a judge'),
});
export type WriteLabel = z.infer<typeof writeLabelSchema>;

const rateSchema = z.object({ count: z.number(), of: z.number(), low: z.number(), high: z.number() });

const alphaSchema = z
  .object({
    value: z.number(),
    low: z.number(),
    high: z.number(),
    units: z.number().describe('trials that were rated twice'),
  })
  .nullable();

/** How far each judge agrees with people. */
export const agreementSchema = z.object({
  judges: z.array(
    z.object({
      mode: z.string(),
      model: z.string(),
      promptVersion: z.string(),
      rubricHash: z.string(),
      compared: z.number(),
      unanswered: z.number(),
      confusion: z.object({
        bothPass: z.number(),
        bothFail: z.number(),
        judgePassHumanFail: z.number(),
        judgeFailHumanPass: z.number(),
      }),
      agreement: rateSchema,
      falsePasses: rateSchema,
      falseFails: rateSchema,
      kappa: z.object({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
      alpha: z
        .object({
          people: alphaSchema.describe('people among themselves'),
          judges: alphaSchema.describe('members of a panel among themselves'),
          all: alphaSchema.describe('people and judges'),
        })
        .describe(
          "agreement of several raters (Krippendorff's alpha); null where no trial was rated twice, or all ratings are the same",
        ),
      isKept: z.boolean().describe('this figure is in assay.calibration.json'),
      isStale: z.boolean().describe('the judge has changed since it was calibrated'),
      disagreements: z.array(z.object({ trialId: z.string(), human: z.enum(['pass', 'fail']), judge: z.string() })),
    }),
  ),
});
export type Agreement = z.infer<typeof agreementSchema>;
