import { isRecord } from '../../shared/json.ts';
import { compileJsonSchema, type JsonSchema, UnusableSchema } from '../../shared/json-schema/json-schema.ts';

/** A schema of which all that can be checked is checked. */
export interface CheckableSchema extends JsonSchema {
  /** Without what cannot be checked. */
  readonly schema: unknown;
  /** False when parts had to be left out: what fits may still be refused for good reasons. */
  readonly isWhole: boolean;
}

const mostParts = 100;

/** Leaves out what cannot be checked here, such as look-ahead in patterns; undefined when nothing is left. */
export function checkableSchema(written: unknown): CheckableSchema | undefined {
  const schema: unknown = structuredClone(written);
  for (let left = 0; left < mostParts; left++) {
    try {
      const { problemsIn } = compileJsonSchema(schema);
      return { schema, isWhole: left === 0, problemsIn: (value) => problemsIn(value) };
    } catch (error) {
      if (!(error instanceof UnusableSchema) || !removeAt(schema, error.path)) return undefined;
    }
  }
  return undefined;
}

function removeAt(root: unknown, path: readonly (string | number)[]): boolean {
  const key = path.at(-1);
  const around = path.slice(0, -1).reduce<unknown>((part, step) => Object(part)[step], root);
  if (key === undefined || !isRecord(around) || !Object.hasOwn(around, key)) return false;
  delete around[String(key)];
  return true;
}
