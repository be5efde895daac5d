import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import { lastAnswer } from '../../../domain/trace.ts';
import { compileExpression } from '../../criteria/index.ts';
import { expressionSchema } from '../../criteria/source-schemas.ts';
import { defineEvaluator } from '../evaluator.ts';

const configSchema = () =>
  z.strictObject({
    name: z.string().min(1).describe('name of the number in the report'),
    expression: expressionSchema.describe('expression over result, error, input and expected that gives a number'),
  });

/** A number computed from the answer. */
export const measure = defineEvaluator({
  type: 'measure',
  kind: 'metric',
  summary: 'a number computed from the answer by an expression',
  example: { name: 'orders', expression: 'result.orders.length' },
  needs: ['call-answer'],
  reads: { channels: { 'tool-results': 'total' } },
  configSchema,
  metricName: ({ name }) => name,
  prepare({ expression }) {
    const compiled = compileExpression(expression);
    return ({ trial, trace }) => {
      const { input, expected } = trial.case;
      const answer = lastAnswer(trace);
      const value = compiled.evaluate({ result: answer?.result, error: answer?.error, input, expected });
      if (typeof value === 'number' && Number.isFinite(value)) {
        return { state: 'measured', value, reason: `${expression} is ${value}` };
      }
      const error = new AssayError(
        'EVALUATOR_FAILED',
        `${expression} gave ${JSON.stringify(value) ?? 'undefined'}, which is not a number.`,
      );
      return { state: 'error', error };
    };
  },
});
