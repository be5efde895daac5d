import { AssayError } from '../../../../domain/errors.ts';
import { compileJsonSchema, type JsonSchema } from '../../../../shared/json-schema/json-schema.ts';
import { TooMuchWork } from '../../../../shared/json-schema/references.ts';
import { UnusablePattern } from '../../../../shared/patterns.ts';
import type { Evaluate } from '../../evaluator.ts';
import { shortened } from '../../gates/checks/excerpt.ts';
import type { JsonSchemaConfig } from '../json-schema.ts';
import { judgeText, verdict } from '../said.ts';
import { judgeJson } from './answer-json.ts';

const maxShown = 3;

/** How `json-schema` looks at an answer. */
export function checkJsonSchema({ schema }: JsonSchemaConfig): Evaluate<'assertion'> {
  const compiled = compileJsonSchema(schema);
  return (context) =>
    judgeText(context, (text) =>
      judgeJson(text, (value) => {
        const problems = problemsIn(value, compiled);
        if (problems.length === 0) return verdict(true, 'The answer is JSON that is valid against the schema');
        const more = problems.length > maxShown ? '; and more' : '';
        const shown = problems.slice(0, maxShown).map(shortened).join('; ');
        return verdict(false, `The answer is not valid against the schema: ${shown}${more}`);
      }),
    );
}

/** What takes too much work is neither valid nor invalid. */
function problemsIn(value: unknown, schema: JsonSchema): readonly string[] {
  try {
    return schema.problemsIn(value);
  } catch (error) {
    if (!(error instanceof TooMuchWork || error instanceof UnusablePattern)) throw error;
    throw new AssayError('CRITERION_UNUSABLE', `The schema cannot be checked with this answer: ${error.message}`, {
      hint: 'Make the schema simpler.',
    });
  }
}
