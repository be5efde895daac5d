import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { compileCriterion, compileExpression } from './criterion.ts';
import { CriterionError } from './criterion-error.ts';
import { compileFindingsExpression } from './findings-expression.ts';

/** A list of criteria as files hold it; one that cannot be used is an issue at its own place, with the column. */
export const criteriaListSchema = lazySchema(() => z.array(compiling('criterion', compileCriterion)).default([]));

/** An expression that may give any value. */
export const expressionSchema = lazySchema(() => compiling('expression', compileExpression));

/** A boolean expression over the findings of evaluators. */
export const findingsExpressionSchema = lazySchema(() => compiling('expression', compileFindingsExpression));

function compiling(kind: string, compile: (source: string) => unknown) {
  return z.string().superRefine((source, context) => {
    try {
      compile(source);
    } catch (error) {
      if (!(error instanceof CriterionError)) throw error;
      const { message, column, hint } = error.defect;
      context.addIssue({
        code: 'custom',
        message: `unusable ${kind} \`${source}\`: ${message}`,
        params: { column, hint },
      });
    }
  });
}
