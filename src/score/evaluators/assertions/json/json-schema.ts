import * as z from 'zod';
import { AssayError } from '../../../../domain/errors.ts';
import { isRecord } from '../../../../shared/json.ts';
import { jsonPartsOf } from '../../../../shared/json-parts.ts';
import { compileJsonSchema, problemOfJsonSchema } from '../../../../shared/json-schema/json-schema.ts';
import { TooMuchWork } from '../../../../shared/json-schema/walk.ts';
import { UnusablePattern } from '../../../../shared/patterns.ts';
import { type Answer, defineEvaluator, type Evaluate } from '../../evaluator.ts';
import { shortened } from '../../excerpt.ts';
import { judgeText, shownAnswer, verdict } from '../text/answer-text.ts';
import { judgeJson } from './answer-json.ts';

/** Config value that is a JSON Schema; a schema that cannot be used is reported at its own place. */
export const checkedJsonSchema = () =>
  z.union([z.record(z.string(), z.unknown()), z.boolean()]).superRefine((schema, context) => {
    const problem = problemOfJsonSchema(schema);
    if (!problem) return;
    const { path, message, hint } = problem;
    context.addIssue({
      code: 'custom',
      path: [...path],
      message: `unusable JSON Schema: ${message}`,
      params: { hint },
    });
  });

const maxListed = 3;

const configSchema = () =>
  z.strictObject({
    schema: checkedJsonSchema().describe(
      'JSON Schema (2020-12; draft 7 is understood too) with references inside of itself only',
    ),
    anywhere: z
      .union([z.boolean(), z.literal('object')])
      .default(false)
      .describe(
        'the answer may contain text around the JSON object or list, such as a code fence; `object`: only objects count, also in lists',
      ),
    onlyFinal: z.boolean().default(false).describe('look at the last answer of a conversation only'),
  });

type JsonSchemaConfig = z.output<ReturnType<typeof configSchema>>;

/** The answer is JSON that fits a schema. */
export const jsonSchema = defineEvaluator({
  type: 'json-schema',
  label: 'JSON Schema',
  kind: 'assertion',
  summary: 'the answer is JSON that is valid against a JSON Schema',
  example: { schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } },
  reads: { channels: { answers: 'exact' }, scope: 'answer' },
  configSchema,
  when: ({ onlyFinal }) => (onlyFinal ? 'final' : 'every-turn'),
  prepare: checkJsonSchema,
});

function checkJsonSchema({ schema, anywhere }: JsonSchemaConfig): Evaluate<'assertion'> {
  const problemsIn = problemsBySchema(schema);
  const decide = (value: unknown) => verdictOn(problemsIn(value));
  return (context) =>
    judgeText(context, (text) => (anywhere ? judgeParts(text, anywhere, decide) : judgeJson(text, decide)));
}

/** How values break a schema; a value that takes too much work to check gives no verdict. */
export function problemsBySchema(schema: unknown): (value: unknown) => readonly string[] {
  const compiled = compileJsonSchema(schema);
  return (value) => {
    try {
      return compiled.problemsIn(value);
    } catch (error) {
      if (!(error instanceof TooMuchWork || error instanceof UnusablePattern)) throw error;
      throw new AssayError('CRITERION_UNUSABLE', `The schema cannot be checked with this answer: ${error.message}`, {
        hint: 'Make the schema simpler.',
      });
    }
  };
}

/** One of the objects and lists in a text must fit. */
function judgeParts(
  text: string,
  anywhere: true | 'object',
  decide: (value: unknown) => Answer<'assertion'>,
): Answer<'assertion'> {
  const parts = jsonPartsOf(text);
  const verdicts = (anywhere === 'object' ? parts.flatMap(objectsIn) : parts).map(decide);
  const what = anywhere === 'object' ? 'object' : 'object or list';
  const none = verdict(false, `The answer contains no JSON ${what}; ${shownAnswer(text)}`);
  return verdicts.find(({ state }) => state === 'pass') ?? verdicts[0] ?? none;
}

/** An object, or the objects of a list and of the lists in it. */
function objectsIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY).filter(isRecord) : [value];
}

function verdictOn(problems: readonly string[]): Answer<'assertion'> {
  if (problems.length === 0) return verdict(true, 'The answer is JSON that is valid against the schema');
  return verdict(false, `The answer is not valid against the schema: ${listedProblems(problems)}`);
}

/** The first problems in one line. */
export function listedProblems(problems: readonly string[]): string {
  const more = problems.length > maxListed ? '; and more' : '';
  return problems.slice(0, maxListed).map(shortened).join('; ') + more;
}
