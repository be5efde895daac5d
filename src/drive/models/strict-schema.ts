import { isRecord } from '../../shared/json.ts';

/** Whether a JSON Schema keeps the rules of OpenAI's strict mode: all properties required, and no others allowed. */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (!isRecord(schema)) return true;
  const { properties, required } = schema;
  if (schema.type === 'object' || isRecord(properties)) {
    const names = isRecord(properties) ? Object.keys(properties) : [];
    const areRequired = names.every((name) => Array.isArray(required) && required.includes(name));
    if (schema.additionalProperties !== false || !areRequired) return false;
  }
  return Object.values(schema).every(isStrictSchema);
}

const strictSchemas = new WeakMap<object, boolean>();

/** The same; many requests have one schema, which is looked through once. */
export function hasStrictSchema(schema: object): boolean {
  const isStrict = strictSchemas.get(schema) ?? isStrictSchema(schema);
  strictSchemas.set(schema, isStrict);
  return isStrict;
}
