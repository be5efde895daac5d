import type { Finding, Rule } from '../rule.ts';
import { schemaPlaces } from '../schema-places.ts';

/** References that lead out of the schema. */
export const schemaReferenceExternal: Rule = {
  id: 'schema-reference-external',
  severity: 'warning',
  summary: 'A schema of the tool refers to another document',
  why: 'Models and most clients do not fetch it: to them the argument may be anything.',
  fix: 'Put what it refers to under `$defs` of the schema itself.',
  check: ({ tools }) =>
    tools.flatMap(({ name, inputSchema, outputSchema }) =>
      [...schemaPlaces(inputSchema, 'inputSchema'), ...schemaPlaces(outputSchema, 'outputSchema')].flatMap(
        ({ schema, place }): Finding[] => {
          const ref = schema.$ref;
          if (typeof ref !== 'string' || ref.startsWith('#')) return [];
          return [{ message: `\`$ref\` leads to ${ref}`, tools: [name], place: `${place}.$ref` }];
        },
      ),
    ),
};
