import * as z from 'zod';
import { AssayError } from '../../../../domain/errors.ts';
import { defineEvaluator, type Evaluate, lazily } from '../../evaluator.ts';
import { GateFailure } from '../../gates/gate.ts';
import { compilePathAssertion } from '../../json-assertion.ts';
import { judgeText, verdict } from '../text/answer-text.ts';
import { judgeJson } from './answer-json.ts';

const configSchema = () =>
  z.strictObject({
    path: z.string().startsWith('$').describe("JSONPath (RFC 9535) into the answer's JSON"),
    assertion: z
      .string()
      .min(1)
      .default('exists')
      .describe('exists, equals, contains, matches, len or a comparison with a number, as in "len >= 3"'),
  });

type JsonPathConfig = z.output<ReturnType<typeof configSchema>>;

/** The answer's JSON holds a value of which something is true. */
export const jsonPath = defineEvaluator({
  type: 'json-path',
  label: 'JSON Path',
  kind: 'assertion',
  summary: "the value at a JSONPath of the answer's JSON meets an assertion",
  example: { path: '$.orders[0].customer', assertion: 'equals ada' },
  reads: { channels: { answers: 'exact' }, scope: 'answer' },
  configSchema,
  when: () => 'eventually',
  prepare: (config) => lazily(() => checkJsonPath(config)),
});

async function checkJsonPath(config: JsonPathConfig): Promise<Evaluate<'assertion'>> {
  const check = await compilePathAssertion(config).catch(throwUnusable);
  return (context) =>
    judgeText(context, (text) =>
      judgeJson(text, (value) => {
        try {
          const { passed, message } = check(value);
          return verdict(passed, message);
        } catch (error) {
          return throwUnusable(error);
        }
      }),
    );
}

/** A mistake in the scenario says nothing about the answer. */
function throwUnusable(error: unknown): never {
  throw error instanceof GateFailure ? new AssayError('CRITERION_UNUSABLE', error.message) : error;
}
