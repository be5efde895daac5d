import * as z from 'zod';
import { compileCriterion } from './criterion.ts';
import { CriterionError } from './criterion-error.ts';

/** A list of criteria as files hold it; one that cannot be used is an issue at its own place, with the column. */
export const criteriaListSchema = z.array(z.string().superRefine(mustCompile)).default([]);

function mustCompile(criterion: string, context: z.core.$RefinementCtx<string>): void {
  try {
    compileCriterion(criterion);
  } catch (error) {
    if (!(error instanceof CriterionError)) throw error;
    const { message, column, hint } = error.defect;
    context.addIssue({
      code: 'custom',
      message: `unusable criterion \`${criterion}\`: ${message}`,
      params: { column, hint },
    });
  }
}
