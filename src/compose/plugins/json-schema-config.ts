import { isRecord } from '../../shared/json.ts';
import { compileJsonSchema } from '../../shared/json-schema/json-schema.ts';
import type { JsonSchema } from './config-of.ts';
import { messageOf } from './foreign-error.ts';
import type { Checked } from './foreign-schema.ts';

/** Without one of these it is a mapping of something else, such as the fields of a zod object. */
const keywords = [
  '$schema',
  '$ref',
  'type',
  'properties',
  'required',
  'enum',
  'const',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
];

/** Whether it is meant as JSON Schema. */
export function isJsonSchema(given: unknown): given is JsonSchema {
  if (!isRecord(given)) return false;
  return Object.keys(given).length === 0 || keywords.some((keyword) => keyword in given);
}

/** Checks values against JSON Schema, with the defaults of its properties filled in; throws when it cannot be used. */
export function jsonSchemaCheck(schema: JsonSchema): (value: unknown) => Checked {
  const compiled = compiledSchema(schema);
  const defaults = defaultsIn(schema);
  return (given) => {
    const value = isRecord(given) ? { ...structuredClone(defaults), ...given } : given;
    const issues = compiled.problemsIn(value).map(issueOf);
    return issues.length > 0 ? { issues } : { value };
  };
}

function compiledSchema(schema: JsonSchema): ReturnType<typeof compileJsonSchema> {
  try {
    return compileJsonSchema(schema);
  } catch (error) {
    throw new Error(`\`configSchema\` is no JSON Schema that can be checked: ${messageOf(error)}`);
  }
}

function defaultsIn({ properties }: JsonSchema): Record<string, unknown> {
  const fields = Object.entries(isRecord(properties) ? properties : {});
  return Object.fromEntries(
    fields.flatMap(([name, field]) => (isRecord(field) && field.default !== undefined ? [[name, field.default]] : [])),
  );
}

const placePattern = /^\$((?:\.\w+|\["(?:[^"\\]|\\.)*"\]|\[\d+\])*): /;
const stepPattern = /\.(\w+)|\[("(?:[^"\\]|\\.)*"|\d+)\]/g;

/** A problem begins with its place, such as `$.words[0]`. */
function issueOf(problem: string): { readonly path: readonly PropertyKey[]; readonly message: string } {
  const [whole, place] = placePattern.exec(problem) ?? [];
  if (whole === undefined || place === undefined) return { path: [], message: problem };
  const path = [...place.matchAll(stepPattern)].map(
    ([, name, quoted]) => name ?? (JSON.parse(quoted ?? '""') as PropertyKey),
  );
  return { path, message: problem.slice(whole.length) };
}
