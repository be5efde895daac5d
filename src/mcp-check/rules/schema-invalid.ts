import { isRecord } from '../../shared/json.ts';
import { problemOfJsonSchema } from '../../shared/json-schema/json-schema.ts';
import { keywordShapes, problemOfKeyword } from '../../shared/json-schema/keywords.ts';
import { JsonSchemaRefs } from '../../shared/json-schema/references.ts';
import type { ListedTool } from '../listed-server.ts';
import type { Finding, Rule } from '../rule.ts';
import { type SchemaPlace, schemaPlaces } from '../schema-places.ts';

/** Schemas that are no JSON Schemas. */
export const schemaInvalid: Rule = {
  id: 'schema-invalid',
  severity: 'error',
  summary: 'A schema of the tool is not valid JSON Schema',
  why: 'Providers of models refuse the request that offers the tool, or the model is told nothing about its arguments.',
  fix: 'Correct the schema; it must be valid JSON Schema (draft 2020-12 unless `$schema` says another).',
  check: ({ tools }) => tools.flatMap(problemsOfTool),
};

function problemsOfTool({ name, inputSchema, outputSchema }: ListedTool): Finding[] {
  return [
    ...(inputSchema === undefined ? [] : problemsOfSchema(inputSchema, 'inputSchema')),
    ...(outputSchema === undefined ? [] : problemsOfSchema(outputSchema, 'outputSchema')),
  ].map((finding) => ({ ...finding, tools: [name] }));
}

function problemsOfSchema(root: unknown, name: string): Finding[] {
  if (!isRecord(root)) return [{ message: `\`${name}\` must be an object.`, place: name }];
  const refs = new JsonSchemaRefs(root);
  const found = schemaPlaces(root, name).flatMap((place) => problemsAt(place, refs));
  if (found.length > 0) return found;
  const endless = problemOfJsonSchema(root);
  if (!endless?.message.includes('refers to itself without end')) return [];
  return [{ message: 'The schema refers to itself without end.', place: [name, ...endless.path].join('.') }];
}

function problemsAt({ schema, place }: SchemaPlace, refs: JsonSchemaRefs): Finding[] {
  return Object.entries(schema).flatMap(([keyword, value]): Finding[] => {
    const shape = keywordShapes.get(keyword);
    if (shape === undefined || shape === 'nothing that is supported') return [];
    const at = `${place}.${keyword}`;
    const problem = problemOfKeyword(keyword, shape, value);
    if (problem !== undefined) return [{ message: `${problem}.`, place: at }];
    if (shape === 'pattern' && !isPattern(String(value)))
      return [{ message: `\`pattern\` is no regular expression: ${String(value)}`, place: at }];
    if (
      keyword === '$ref' &&
      String(value).startsWith('#') &&
      refs.resolve(String(value)) === undefined &&
      !isAnchor(value)
    )
      return [{ message: `\`${String(value)}\` leads to no schema.`, place: at }];
    return [];
  });
}

/** References by the name of an anchor are looked up while a schema is read, which is not done here. */
function isAnchor(ref: unknown): boolean {
  return /^#[^/]/.test(String(ref));
}

function isPattern(pattern: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      return new RegExp(pattern, flags) instanceof RegExp;
    } catch {
      return false;
    }
  });
}
