import { isRecord } from '../../shared/json.ts';
import { problemOfJsonSchema } from '../../shared/json-schema/json-schema.ts';
import { annotations, keywordShapes, problemOfKeyword } from '../../shared/json-schema/keywords.ts';
import { JsonSchemaRefs } from '../../shared/json-schema/references.ts';
import { nearestName } from '../../shared/suggest.ts';
import type { ListedTool } from '../definitions/listed-server.ts';
import type { Finding, Rule } from '../definitions/rule.ts';
import { type SchemaPlace, schemaPlaces } from '../definitions/tool-arguments.ts';
import { quoted } from '../definitions/words.ts';

/** In the order of the report. */
export const schemaRules: readonly Rule[] = [
  {
    id: 'definition-malformed',
    severity: 'error',
    summary: 'An entry of a list is not a definition',
    why: 'Clients that check what they get refuse the whole list, and then no model sees any tool.',
    fix: 'Send objects with a `name` of text, and for tools with an `inputSchema`.',
    clause: '2025-11-25/server/tools#tool',
    check: ({ malformed }) => malformed.map((message) => ({ message })),
  },
  {
    id: 'schema-not-object',
    severity: 'error',
    summary: 'The input schema of the tool is not of `type: object`',
    why: 'The protocol asks for it, and clients refuse the list of tools or the tool without it.',
    fix: 'Write `type: "object"` at the top of `inputSchema`, also for a tool without arguments.',
    clause: '2025-11-25/server/tools#tool',
    checkTool: ({ inputSchema }) => {
      if (inputSchema === undefined) return { message: 'There is no `inputSchema`.', place: 'inputSchema' };
      if (!isRecord(inputSchema) || inputSchema.type === 'object') return undefined;
      const written = inputSchema.type === undefined ? 'missing' : JSON.stringify(inputSchema.type);
      return { message: `\`type\` at the top of the input schema is ${written}.`, place: 'inputSchema.type' };
    },
  },
  {
    id: 'schema-invalid',
    severity: 'error',
    summary: 'A schema of the tool is not valid JSON Schema',
    why: 'Providers of models refuse the request that offers the tool, or the model learns nothing about its arguments.',
    fix: 'Correct the schema; it must be valid JSON Schema (draft 2020-12 unless `$schema` says another).',
    clause: '2025-11-25/basic#json-schema-usage',
    check: ({ tools }) => tools.flatMap(problemsOfTool),
  },
  {
    id: 'required-unknown',
    severity: 'error',
    summary: 'A required argument is not defined',
    why: 'The model must send an argument that is not described, and often leaves it out.',
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
  },
  {
    id: 'schema-keyword-unknown',
    severity: 'warning',
    summary: 'A schema of the tool has a keyword that means nothing',
    why: 'Models, clients and validators ignore it.',
    fix: 'Correct the spelling of the keyword.',
    check: ({ tools }) =>
      perSchema(tools, ({ schema, place }) =>
        Object.keys(schema).flatMap((keyword) => {
          const message = messageFor(keyword);
          return message === undefined ? [] : [{ message, place: `${place}.${keyword}` }];
        }),
      ),
  },
  {
    id: 'schema-reference-external',
    severity: 'warning',
    summary: 'A schema of the tool refers to another document',
    why: 'Models and most clients do not fetch it: to them the argument may be anything.',
    fix: 'Put what it refers to under `$defs` of the schema itself.',
    check: ({ tools }) =>
      perSchema(tools, ({ schema: { $ref: ref }, place }) =>
        typeof ref !== 'string' || ref.startsWith('#')
          ? []
          : [{ message: `\`$ref\` leads to ${ref}`, place: `${place}.$ref` }],
      ),
  },
];

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
      return [{ message: `\`pattern\` is not a regular expression: ${String(value)}`, place: at }];
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

const combining = ['allOf', 'anyOf', 'oneOf', 'if', '$ref', 'patternProperties', 'dependentSchemas'];

function unknownIn(schema: Readonly<Record<string, unknown>>, isRoot: boolean): string[] {
  if (!Array.isArray(schema.required) || combining.some((keyword) => keyword in schema)) return [];
  // A part of a combination may require what another part of it defines.
  if (!isRecord(schema.properties) && !isRoot) return [];
  const properties = isRecord(schema.properties) ? schema.properties : {};
  return schema.required.filter((name): name is string => typeof name === 'string' && !Object.hasOwn(properties, name));
}

const elsewhere: Readonly<Record<string, string>> = {
  nullable: '`nullable` belongs to OpenAPI; write `type: ["string", "null"]`.',
};

/** Findings in all schemas of all tools. */
function perSchema(tools: readonly ListedTool[], check: (place: SchemaPlace) => readonly Finding[]): Finding[] {
  return tools.flatMap(({ name, inputSchema, outputSchema }) =>
    [...schemaPlaces(inputSchema, 'inputSchema'), ...schemaPlaces(outputSchema, 'outputSchema')]
      .flatMap(check)
      .map((finding) => ({ ...finding, tools: [name] })),
  );
}

function messageFor(keyword: string): string | undefined {
  const message = elsewhere[keyword];
  if (message !== undefined) return message;
  if (keywordShapes.has(keyword) || annotations.has(keyword) || /^(?:x-|\$)/.test(keyword)) return undefined;
  const meant = nearestName(keyword, keywordShapes.keys());
  return meant === undefined ? undefined : `\`${keyword}\` is not a keyword of JSON Schema; \`${meant}\` is.`;
}
