import { isRecord } from '../documents/document-change.ts';
import type { FieldOption } from './form-field.ts';

/** A JSON Schema, as it comes from the server. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The values that a schema lists. */
export function optionsOf(schema: JsonSchema): readonly FieldOption[] | undefined {
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (schema.type === 'null') return [{ value: null, label: 'none' }];
  if (!Array.isArray(values) || !values.every(isOptionValue)) return undefined;
  return values.map((value) => ({ value, label: value === null ? 'none' : String(value) }));
}

function isOptionValue(value: unknown): value is FieldOption['value'] {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** The schemas of which a value has to fit one. */
export function alternativesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if (Array.isArray(schema.anyOf)) return schema.anyOf;
  if (Array.isArray(schema.oneOf)) return schema.oneOf;
  return Array.isArray(schema.type) ? schema.type.map((type: unknown) => ({ ...schema, type })) : undefined;
}

/** The schema with what it refers to. */
export function resolved(schema: JsonSchema, definitions: JsonSchema): JsonSchema {
  const name = typeof schema.$ref === 'string' ? /^#\/(?:\$defs|definitions)\/(.+)$/.exec(schema.$ref)?.[1] : undefined;
  if (name === undefined) return schema;
  const { $ref, ...own } = schema;
  return { ...recordOf(definitions[decodeURIComponent(name)]), ...own };
}

/** A bound that people have set, and not the edge of what computers count. */
export function safeBound(value: unknown): number | undefined {
  const bound = numberOf(value);
  return bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined;
}

/** A number, or nothing. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** A map; an empty one where there is none. */
export function recordOf(value: unknown): JsonSchema {
  return isRecord(value) ? value : {};
}
