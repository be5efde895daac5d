import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';

const shareSchema = lazySchema(() => z.number().min(0).max(1));

/** Answer of a judge to a rubric. */
export const judgeResponseSchema = lazySchema(() =>
  z.strictObject({
    scores: z.record(z.string(), shareSchema),
    weighted_score: shareSchema,
    confidence: shareSchema,
    issues: z.array(z.string()),
    highlights: z.array(z.string()),
  }),
);
export type JudgeResponse = z.infer<typeof judgeResponseSchema>;

/** Material that authors give to a judge. */
export const judgeReferencesSchema = lazySchema(() =>
  z
    .array(
      z.object({
        name: z.string().describe('name that the judge sees'),
        text: z.string().describe('the material'),
      }),
    )
    .optional()
    .describe('material for the judge to compare with'),
);

const requirableFields = ['scores', 'weighted_score', 'confidence', 'issues', 'highlights'] as const;

const rubricCriterionSchema = lazySchema(() =>
  z.object({
    id: z
      .string()
      .min(1)
      .refine((id) => id !== '__proto__', 'a rubric criterion cannot have this id')
      .describe('short name of the criterion'),
    weight: z.number().min(0).describe('share of the score; the weights add up to 1'),
    description: z.string().min(1).describe('what the judge scores'),
    required: z.boolean().optional().describe('the rubric fails if this criterion is below the threshold'),
    deduction: z
      .number()
      .positive()
      .max(1)
      .optional()
      .describe('for a mistake, with weight 0: taken off the weighted score as far as it happened'),
  }),
);
export type RubricCriterion = z.infer<typeof rubricCriterionSchema>;

/** A weighted rubric. Unknown keys are dropped, since rubrics in use carry their own notes. */
export const rubricSchema = lazySchema(() =>
  z
    .object({
      criteria: z.array(rubricCriterionSchema).min(1).describe('weighted criteria'),
      output: z
        .object({
          format: z.literal('json').default('json'),
          require_fields: z
            .array(z.enum(requirableFields))
            .default([...requirableFields])
            .describe('fields that the answer must have'),
        })
        .optional()
        .describe('form of the answer of the judge'),
      instructions: z.string().optional().describe('added to the rules of the judge'),
      references: judgeReferencesSchema,
    })
    .superRefine(({ criteria }, context) => {
      const message = weightProblem(criteria) ?? repeatedId(criteria) ?? deductionProblem(criteria);
      if (message !== undefined) context.addIssue({ code: 'custom', message, path: ['criteria'] });
    }),
);
export type Rubric = z.infer<typeof rubricSchema>;

const weightTolerance = 0.01;
const roundingError = 1e-9;

function weightProblem(criteria: readonly RubricCriterion[]): string | undefined {
  const sum = criteria.reduce((total, { weight }) => total + weight, 0);
  if (Math.abs(sum - 1) <= weightTolerance + roundingError) return undefined;
  return `Rubric criterion weights must sum to 1.0, got ${Number(sum.toFixed(6))}`;
}

function repeatedId(criteria: readonly RubricCriterion[]): string | undefined {
  const ids = criteria.map(({ id }) => id);
  const repeated = ids.find((id, position) => ids.indexOf(id) !== position);
  return repeated === undefined ? undefined : `Rubric criterion ids must differ, got ${repeated} twice`;
}

function deductionProblem(criteria: readonly RubricCriterion[]): string | undefined {
  const mistakes = criteria.filter(({ deduction }) => deduction !== undefined);
  const weighted = mistakes.find(({ weight }) => weight > 0);
  if (weighted) return `Rubric criterion ${weighted.id} has a deduction, so its weight must be 0`;
  const required = mistakes.find((criterion) => criterion.required);
  return required && `Rubric criterion ${required.id} has a deduction, so it cannot be required`;
}
