import { isRecord } from '../../shared/json.ts';
import type { Finding, Rule } from '../rule.ts';
import { schemaPlaces } from '../schema-places.ts';
import { quoted } from '../words.ts';

const combining = ['allOf', 'anyOf', 'oneOf', 'if', '$ref', 'patternProperties', 'dependentSchemas'];

/** Required arguments that are nowhere defined. */
export const requiredUnknown: Rule = {
  id: 'required-unknown',
  severity: 'error',
  summary: 'A required argument is not defined',
  why: 'The model must send something of which it is told nothing, and often leaves it out.',
  fix: 'Define it under `properties`, or take it out of `required`.',
  check: ({ tools }) =>
    tools.flatMap(({ name, inputSchema }) =>
      schemaPlaces(inputSchema, 'inputSchema').flatMap(({ schema, place }): Finding[] => {
        const unknown = unknownIn(schema, place === 'inputSchema');
        if (unknown.length === 0) return [];
        const message = `${quoted(unknown)} ${unknown.length === 1 ? 'is' : 'are'} required and not under \`properties\`.`;
        return [{ message, tools: [name], place: `${place}.required` }];
      }),
    ),
};

function unknownIn(schema: Readonly<Record<string, unknown>>, isRoot: boolean): string[] {
  if (!Array.isArray(schema.required) || combining.some((keyword) => keyword in schema)) return [];
  // A part of a combination may require what another part of it defines.
  if (!isRecord(schema.properties) && !isRoot) return [];
  const known = isRecord(schema.properties) ? schema.properties : {};
  return schema.required.filter((name): name is string => typeof name === 'string' && !Object.hasOwn(known, name));
}
