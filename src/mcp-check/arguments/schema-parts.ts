import { isRecord } from '../../shared/json.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The type that a schema without one is most likely about. */
export function impliedType(schema: Schema): string {
  if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema) return 'object';
  if ('items' in schema || 'prefixItems' in schema || 'minItems' in schema) return 'array';
  if (['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].some((key) => key in schema))
    return 'number';
  return 'string';
}

/** What must be there because something else is. */
export function neededWith(schema: Schema, value: ReadonlyMap<string, unknown>): string[] {
  const dependent = isRecord(schema.dependentRequired) ? schema.dependentRequired : {};
  return Object.entries(dependent)
    .filter(([name]) => value.has(name))
    .flatMap(([, names]) => list(names).filter((name): name is string => typeof name === 'string' && !value.has(name)));
}

/** A list, or an empty one in place of what is none. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A number, or nothing in place of what is none. */
export function count(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
