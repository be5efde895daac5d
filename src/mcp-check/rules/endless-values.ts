import { isRecord } from '../../shared/json.ts';
import { problemOfJsonSchema } from '../../shared/json-schema/json-schema.ts';
import { JsonSchemaRefs } from '../../shared/json-schema/references.ts';
import type { Rule } from '../definitions/rule.ts';

/** In the order of the report. */
export const endlessRules: readonly Rule[] = [
  {
    id: 'schema-endless',
    severity: 'error',
    summary: 'No finite value fits a schema of the tool',
    why: 'A required part contains itself, so no arguments and no result can ever be valid.',
    fix: 'Make the part that contains itself optional, or let it be `null`.',
    clause: '2025-11-25/basic#json-schema-usage',
    checkTool: ({ inputSchema, outputSchema }) => {
      const schemas = { inputSchema, outputSchema };
      const [place] = Object.entries(schemas).flatMap(([name, schema]) =>
        isRecord(schema) && problemOfJsonSchema(schema) === undefined && !hasFiniteValue(schema) ? [name] : [],
      );
      return place && { message: `\`${place}\` requires a part that contains itself.`, place };
    },
  },
];

/** A schema that takes more to look through is not judged. */
const mostSteps = 10_000;

type Schema = Readonly<Record<string, unknown>>;

/** Whether some finite value could satisfy a schema; keywords that do not speak of parts are taken for satisfiable. */
function hasFiniteValue(root: Schema): boolean {
  const refs = new JsonSchemaRefs(root);
  /** Schemas that are being looked at: inside of itself, a schema does not help itself to an end. */
  const open = new Set<unknown>();
  const finite = new Set<unknown>();
  let steps = 0;
  const canEnd = (schema: unknown): boolean => {
    if (!isRecord(schema) || finite.has(schema) || ++steps > mostSteps) return true;
    if (open.has(schema)) return false;
    open.add(schema);
    const result = partsOf(schema).every(canEnd) && choicesOf(schema).every((choice) => choice.some(canEnd));
    open.delete(schema);
    if (result) finite.add(schema);
    return result;
  };
  /** Parts that every value of the schema has. */
  const partsOf = (schema: Schema): unknown[] => [
    ...(typeof schema.$ref === 'string' ? [refs.resolve(schema.$ref)] : []),
    ...(Array.isArray(schema.allOf) ? schema.allOf : []),
    ...(isOnly(schema, 'object') ? requiredParts(schema) : []),
    ...(isOnly(schema, 'array') && Number(schema.minItems) > 0 ? [schema.items] : []),
  ];
  return canEnd(root);
}

function choicesOf({ anyOf, oneOf }: Schema): unknown[][] {
  return [anyOf, oneOf].filter((choice): choice is unknown[] => Array.isArray(choice));
}

/** A schema that allows other types has values without these parts. */
function isOnly({ type }: Schema, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.every((one) => one === wanted));
}

function requiredParts({ required, properties }: Schema): unknown[] {
  if (!Array.isArray(required) || !isRecord(properties)) return [];
  return required.map((name) => (typeof name === 'string' ? properties[name] : undefined));
}
