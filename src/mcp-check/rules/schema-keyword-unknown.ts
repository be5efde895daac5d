import { annotations, keywordShapes } from '../../shared/json-schema/keywords.ts';
import { nearestName } from '../../shared/suggest.ts';
import type { Finding, Rule } from '../rule.ts';
import { schemaPlaces } from '../schema-places.ts';

const elsewhere: Readonly<Record<string, string>> = {
  nullable: '`nullable` belongs to OpenAPI; write `type: ["string", "null"]`.',
};

/** Keywords that mean nothing in JSON Schema and look as if they should. */
export const schemaKeywordUnknown: Rule = {
  id: 'schema-keyword-unknown',
  severity: 'warning',
  summary: 'A schema of the tool has a keyword that means nothing',
  why: 'What it was to say is ignored by models, clients and validators alike.',
  fix: 'Correct the spelling of the keyword.',
  check: ({ tools }) =>
    tools.flatMap(({ name, inputSchema, outputSchema }) =>
      [...schemaPlaces(inputSchema, 'inputSchema'), ...schemaPlaces(outputSchema, 'outputSchema')].flatMap(
        ({ schema, place }): Finding[] =>
          Object.keys(schema).flatMap((keyword) => {
            const message = messageFor(keyword);
            return message === undefined ? [] : [{ message, tools: [name], place: `${place}.${keyword}` }];
          }),
      ),
    ),
};

function messageFor(keyword: string): string | undefined {
  const known = elsewhere[keyword];
  if (known !== undefined) return known;
  if (keywordShapes.has(keyword) || annotations.has(keyword) || /^(?:x-|\$)/.test(keyword)) return undefined;
  const meant = nearestName(keyword, keywordShapes.keys());
  return meant === undefined ? undefined : `\`${keyword}\` is no keyword of JSON Schema; \`${meant}\` is.`;
}
