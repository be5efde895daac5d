import { AssayError } from '../../../../domain/errors.ts';
import { compileJsonPath, type JsonPath } from '../../../../shared/json-path/json-path.ts';
import { JsonPathError } from '../../../../shared/json-path/json-path-walk.ts';
import type { Evaluate } from '../../evaluator.ts';
import { type Assertion, InvalidAssertion, parseAssertion } from '../../gates/checks/assertion.ts';
import { checkAssertion } from '../../gates/checks/check-assertion.ts';
import { shortened } from '../../gates/checks/excerpt.ts';
import type { JsonPathConfig } from '../json-path.ts';
import { judgeText, verdict } from '../said.ts';
import { judgeJson } from './answer-json.ts';

/** How `json-path` looks at an answer. */
export async function checkJsonPath(config: JsonPathConfig): Promise<Evaluate<'assertion'>> {
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

/** What the author of the scenario wrote wrongly says nothing about the answer. */
function unusable(error: unknown, { path, assertion }: JsonPathConfig): unknown {
  if (error instanceof JsonPathError)
    return new AssayError('CRITERION_UNUSABLE', `Invalid JSON path '${shortened(path)}': ${error.message}`);
  if (error instanceof InvalidAssertion)
    return new AssayError('CRITERION_UNUSABLE', `Invalid assertion '${shortened(assertion)}': ${error.message}`);
  return error;
}
