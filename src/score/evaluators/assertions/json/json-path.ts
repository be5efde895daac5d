import * as z from 'zod';
import { AssayError } from '../../../../domain/errors.ts';
import { compileJsonPath, type JsonPath } from '../../../../shared/json-path/json-path.ts';
import { JsonPathError } from '../../../../shared/json-path/json-path-walk.ts';
import { defineEvaluator, type Evaluate, lazily } from '../../evaluator.ts';
import { shortened } from '../../excerpt.ts';
import { type Assertion, checkAssertion, InvalidAssertion, parseAssertion } from '../../json-assertion.ts';
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
  needs: [],
  reads: { channels: { answers: 'exact' }, scope: 'answer' },
  configSchema,
  when: () => 'eventually',
  prepare: (config) => lazily(() => checkJsonPath(config)),
});

async function checkJsonPath(config: JsonPathConfig): Promise<Evaluate<'assertion'>> {
  const { path, assertion } = await compiled(config);
  return (context) =>
    judgeText(context, (text) =>
      judgeJson(text, (value) => {
        const { passed, message } = checkAssertion(assertion, {
          isSingular: path.isSingular,
          values: selected(path, value, config),
        });
        return verdict(passed, `${shortened(config.path)}: ${message}`);
      }),
    );
}

async function compiled(config: JsonPathConfig): Promise<{ path: JsonPath; assertion: Assertion }> {
  try {
    return { assertion: parseAssertion(config.assertion), path: await compileJsonPath(config.path) };
  } catch (error) {
    throw unusable(error, config);
  }
}

function selected(path: JsonPath, value: unknown, config: JsonPathConfig): readonly unknown[] {
  try {
    return path.select(value);
  } catch (error) {
    throw unusable(error, config);
  }
}

/** A mistake in the scenario says nothing about the answer. */
function unusable(error: unknown, { path, assertion }: JsonPathConfig): unknown {
  if (error instanceof JsonPathError)
    return new AssayError('CRITERION_UNUSABLE', `Invalid JSON path '${shortened(path)}': ${error.message}`);
  if (error instanceof InvalidAssertion)
    return new AssayError('CRITERION_UNUSABLE', `Invalid assertion '${shortened(assertion)}': ${error.message}`);
  return error;
}
