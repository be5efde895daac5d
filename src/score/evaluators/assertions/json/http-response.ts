import * as z from 'zod';
import { AssayError } from '../../../../domain/errors.ts';
import { lastAnswer } from '../../../../domain/trace.ts';
import { defineEvaluator, type Evaluate } from '../../evaluator.ts';
import { verdict } from '../text/answer-text.ts';
import { checkedJsonSchema, listedProblems, problemsBySchema } from './json-schema.ts';

const configSchema = () =>
  z.strictObject({
    responses: z
      .record(
        z.string().regex(/^[1-5](?:\d\d|XX)$/, 'expected a status such as 200, or a class of them such as 4XX'),
        checkedJsonSchema(),
      )
      .refine((responses) => Object.keys(responses).length > 0, 'expected at least one status')
      .describe('JSON Schema of the body by status (200) or class (4XX); true: any body. Other statuses fail'),
  });

type HttpResponseConfig = z.output<ReturnType<typeof configSchema>>;

/** The status and the body of an HTTP endpoint are those that it documents. */
export const httpResponse = defineEvaluator({
  type: 'http-response',
  label: 'HTTP Response',
  kind: 'assertion',
  summary: 'an HTTP endpoint answers with one of these statuses and a body that is valid against its JSON Schema',
  example: { responses: { 200: { type: 'object', required: ['id'] } } },
  needs: ['call-answer'],
  reads: { channels: { 'tool-results': 'exact' } },
  configSchema,
  prepare: checkResponse,
});

function checkResponse({ responses }: HttpResponseConfig): Evaluate<'assertion'> {
  const checks = new Map(Object.entries(responses).map(([status, schema]) => [status, problemsBySchema(schema)]));
  const isInClass = (status: string): boolean => !status.endsWith('XX') && checks.has(`${status.charAt(0)}XX`);
  const wanted = [...checks.keys()].filter((status) => !isInClass(status)).join(' or ');
  return ({ trace }) => {
    const { result, error, status } = lastAnswer(trace) ?? {};
    if (status === undefined) {
      const why = error ? `: ${error.message}` : '';
      throw new AssayError('NOT_OBSERVED', `The HTTP status of the answer was not observed${why}.`, {
        hint: 'Use `http-response` with an HTTP endpoint that answers itself.',
      });
    }
    const check = checks.get(`${status}`) ?? checks.get(`${Math.floor(status / 100)}XX`);
    if (!check) return verdict(false, `The status is ${status}, wanted ${wanted}`);
    const problems = check(error ? error.body : result);
    if (problems.length === 0) return verdict(true, `The status is ${status}, and the body is as documented`);
    return verdict(false, `The body of status ${status} is not valid against its schema: ${listedProblems(problems)}`);
  };
}
