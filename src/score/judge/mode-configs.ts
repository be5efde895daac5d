import * as z from 'zod';
import { evidenceSourceSchema } from '../../domain/judge-result.ts';
import { judgeReferencesSchema, rubricSchema } from '../../domain/rubric.ts';
import { lazySchema } from '../../shared/lazy-schema.ts';

/** `look` of a judge: it may look at files of the work directory and at events before it answers. */
const lookSchema = lazySchema(() =>
  z
    .union([
      z.literal(true).transform(() => ({})),
      z.strictObject({
        maxLooks: z.int().min(1).max(100).optional().describe('most looks; 20 by default'),
        maxBytes: z.int().min(1).optional().describe('most bytes of files that it sees; 200,000 by default'),
        timeoutSecs: z.number().positive().max(600).optional().describe('time limit for reading files; 60 by default'),
      }),
    ])
    .transform(({ maxLooks = 20, maxBytes = 200_000, timeoutSecs = 60 }: LookLimits) => ({
      maxLooks,
      maxBytes,
      timeoutSecs,
    })),
);

interface LookLimits {
  readonly maxLooks?: number | undefined;
  readonly maxBytes?: number | undefined;
  readonly timeoutSecs?: number | undefined;
}

/** Where a judge finds its evidence. */
export const evidenceAdditions = () => ({
  evidenceFrom: z
    .array(evidenceSourceSchema)
    .min(1)
    .optional()
    .describe('sources of evidence; by default agent and tools'),
  look: lookSchema
    .optional()
    .describe('true or limits: the judge may look at files of the work directory and at events before it answers'),
});

/** Additions of authors, allowed wherever a judge is configured. */
export const authorAdditions = () => ({
  instructions: z.string().optional().describe('added to the rules of the judge, never replacing them'),
  references: judgeReferencesSchema,
  ...evidenceAdditions(),
});

const evidence = lazySchema(() =>
  z.enum(['optional', 'required']).default('required').describe('whether scores without quotes count'),
);
const oneOrMore = lazySchema(() => z.union([z.string().min(1), z.array(z.string().min(1))]));

/** Success and failure criteria in plain words. */
export const criteriaConfigSchema = lazySchema(() =>
  z
    .strictObject({
      successCriteria: oneOrMore.optional().describe('what must have happened'),
      failureCriteria: oneOrMore.optional().describe('what must not have happened'),
      ...authorAdditions(),
    })
    .refine(
      ({ successCriteria, failureCriteria }) => [successCriteria ?? [], failureCriteria ?? []].flat().length > 0,
      'Give at least one of successCriteria and failureCriteria',
    ),
);
export type CriteriaConfig = z.output<typeof criteriaConfigSchema>;

/** A weighted rubric with its threshold. */
export const rubricConfigSchema = lazySchema(() =>
  z.strictObject({
    rubric: rubricSchema.describe('weighted criteria'),
    passThreshold: z.number().min(0).max(1).describe('passes at this weighted score or above'),
    evidence,
    ...authorAdditions(),
  }),
);

/** One score with its threshold. */
export const scoreConfigSchema = lazySchema(() =>
  z.strictObject({
    passThreshold: z.number().min(0).max(1).default(0.8).describe('passes at this score or above'),
    maxMessages: z.int().min(1).default(20).describe('number of last messages that the judge sees'),
    steps: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('steps in which the judge evaluates before it gives the score, as in G-Eval; none by default'),
    evidence,
    ...authorAdditions(),
  }),
);
export type ScoreConfig = z.output<typeof scoreConfigSchema>;

/** Claims against the results of tools; only tools count as evidence. */
export const groundednessConfigSchema = lazySchema(() =>
  z.strictObject({
    passThreshold: z
      .number()
      .min(0)
      .max(1)
      .default(1)
      .describe('passes at this share of supported claims or above; by default every claim must be supported'),
    instructions: authorAdditions().instructions,
    references: authorAdditions().references,
  }),
);
export type GroundednessConfig = z.output<typeof groundednessConfigSchema>;
