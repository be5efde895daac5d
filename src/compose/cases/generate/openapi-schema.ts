import { isRecord } from '../../../shared/json.ts';

const componentPrefix = '#/components/schemas/';
export const definitionPrefix = '#/$defs/';

/** Keywords of OpenAPI that say nothing about whether a value is valid. */
const otherKeywords = new Set(['discriminator', 'xml', 'externalDocs', 'example']);

/** A schema of OpenAPI as JSON Schema: references to its own definitions, and the words of version 3.0 replaced. */
export function withOwnReferences(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string' && value.startsWith(componentPrefix))
      return `${definitionPrefix}${value.slice(componentPrefix.length)}`;
    return isRecord(value) ? inJsonSchema(value) : value;
  });
}

/** `nullable: true` is a further type, and `exclusiveMinimum: true` makes the minimum an excluded one. */
function inJsonSchema(written: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const isSchema = typeof written.type === 'string' || '$ref' in written || 'allOf' in written;
  const { nullable, exclusiveMinimum, exclusiveMaximum, minimum, maximum, ...rest } = written;
  if (!isSchema) return written;
  const bare = Object.fromEntries(Object.entries(rest).filter(([key]) => !otherKeywords.has(key)));
  const converted = {
    ...bare,
    ...limit('minimum', minimum, exclusiveMinimum),
    ...limit('maximum', maximum, exclusiveMaximum),
  };
  if (nullable !== true) return converted;
  const { type } = converted as { type?: unknown };
  if (typeof type !== 'string') return { anyOf: [converted, { type: 'null' }] };
  const values = Array.isArray(bare.enum) && !bare.enum.includes(null) ? { enum: [...bare.enum, null] } : {};
  return { ...converted, ...values, type: [type, 'null'] };
}

function limit(name: 'minimum' | 'maximum', value: unknown, excluded: unknown): Record<string, unknown> {
  const strict = `exclusive${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if (excluded === true) return { [strict]: value };
  return {
    ...(value !== undefined && { [name]: value }),
    ...(typeof excluded === 'number' && { [strict]: excluded }),
  };
}
