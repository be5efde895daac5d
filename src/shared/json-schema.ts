import { checkJsonSchema } from './json-schema-check.ts';
import { Seen } from './json-schema-rules/rule.ts';
import { JsonSchemaWalk } from './json-schema-walk.ts';

/** A JSON Schema, ready to be asked about any JSON value. */
export interface JsonSchema {
  /**
   * What is wrong with a value, each with its place; empty for a valid one. Throws a `TooMuchWork` where that cannot
   * be told within the limits.
   */
  problemsIn(value: unknown): readonly string[];
}

/** About a second of the slowest checking, and several times what an answer of a megabyte takes. */
const defaultMaxSteps = 2_000_000;

/** Makes a schema ready, or throws an `UnusableSchema` that says what is wrong with it and where. */
export function compileJsonSchema(schema: unknown, maxSteps = defaultMaxSteps): JsonSchema {
  const checked = checkJsonSchema(schema);
  return {
    problemsIn(value) {
      const problems: string[] = [];
      const isRight = new JsonSchemaWalk(checked, maxSteps).accepts(checked.root, new Seen(value, problems));
      return isRight || problems.length > 0 ? problems : ['$: does not fit'];
    },
  };
}
