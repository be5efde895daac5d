import * as z from 'zod';

const shareSchema = z.number().min(0).max(1);

/** What a judge asked by a rubric gives back. */
export const judgeResponseSchema = z.strictObject({
  scores: z.record(z.string(), shareSchema),
  weighted_score: shareSchema,
  confidence: shareSchema,
  issues: z.array(z.string()),
  highlights: z.array(z.string()),
});
export type JudgeResponse = z.infer<typeof judgeResponseSchema>;

const requirableFields = ['scores', 'weighted_score', 'confidence', 'issues', 'highlights'] as const;

const rubricCriterionSchema = z.object({
  id: z
    .string()
    .min(1)
    .refine((id) => id !== '__proto__', 'a rubric criterion cannot have this id'),
  weight: z.number().min(0),
  description: z.string().min(1),
});
export type RubricCriterion = z.infer<typeof rubricCriterionSchema>;

/** A weighted rubric. Keys it does not know are left out, since rubrics in use carry notes of their own. */
export const rubricSchema = z
  .object({
    criteria: z.array(rubricCriterionSchema).min(1),
    output: z
      .object({
        format: z.literal('json').default('json'),
        require_fields: z.array(z.enum(requirableFields)).default([...requirableFields]),
      })
      .optional(),
    instructions: z.string().optional(),
    references: z.array(z.object({ name: z.string(), text: z.string() })).optional(),
  })
  .superRefine(({ criteria }, context) => {
    const message = weightProblem(criteria) ?? repeatedId(criteria);
    if (message !== undefined) context.addIssue({ code: 'custom', message, path: ['criteria'] });
  });
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
