import * as z from 'zod';

const oneOrMore = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

/** `judge:` of the project's config. */
export const judgeConfigSchema = z.strictObject({
  model: oneOrMore.optional().describe('`provider/model`; several models vote'),
  samples: z.int().min(1).max(25).default(1).describe('how often each model is asked'),
  always: z.boolean().default(false).describe('ask even when an assertion has failed; it stays failed'),
  tokenBudget: z.int().min(1_000).max(1_000_000).default(24_000).describe('for what the judge is shown of a trial'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .nullable()
    .optional()
    .describe('0 for one answer and 1 for several unless written; null sends none, for models that refuse it'),
  maxOutputTokens: z
    .int()
    .min(100)
    .max(1_000_000)
    .optional()
    .describe('limit of a reply, reasoning included; set by the number of criteria unless written'),
  errors: z
    .enum(['error', 'fail', 'ignore'])
    .default('error')
    .describe('what a judge that could not answer makes of a trial: unjudged, failed, or judged without it'),
  cache: z.boolean().default(true).describe('keep verdicts, so that an unchanged trial is not judged twice'),
});

/** What the command line says of the judge. */
export interface JudgeFlags {
  /** False: nobody is asked. True: sections that are switched off in their files are asked too. */
  readonly isWanted?: boolean | undefined;
  readonly models?: readonly string[] | undefined;
  /** How often each model is asked about the same trial, whatever files say. */
  readonly samples?: number | undefined;
  readonly always?: boolean | undefined;
  readonly probes?: boolean | undefined;
  readonly cache?: boolean | undefined;
  readonly record?: string | undefined;
  readonly replay?: string | undefined;
  readonly maxUsd?: number | undefined;
}
