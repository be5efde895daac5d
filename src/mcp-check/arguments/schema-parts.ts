import { isRecord } from '../../shared/json.ts';
import { compileJsonSchema, type JsonSchema, UnusableSchema } from '../../shared/json-schema/json-schema.ts';
import { TooMuchWork } from '../../shared/json-schema/walk.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** The type that a schema without one is most likely about. */
export function impliedType(schema: Schema): string {
  if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema) return 'object';
  if ('items' in schema || 'prefixItems' in schema || 'minItems' in schema) return 'array';
  if (['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].some((key) => key in schema))
    return 'number';
  return 'string';
}

/** Properties that another property requires. */
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

const strictestIsLargest = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const strictestIsSmallest = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];

/** One schema that asks for what both ask for, as far as that can be said in one. */
export function mergeSchemas(a: Schema, b: Schema): Schema {
  const merged: Record<string, unknown> = { ...a, ...b };
  for (const keyword of Object.keys(a)) {
    if (keyword in b) merged[keyword] = mergedKeyword(keyword, a[keyword], b[keyword]);
  }
  return merged;
}

function mergedKeyword(keyword: string, a: unknown, b: unknown): unknown {
  if (typeof a === 'number' && typeof b === 'number') {
    if (strictestIsLargest.includes(keyword)) return Math.max(a, b);
    if (strictestIsSmallest.includes(keyword)) return Math.min(a, b);
  }
  if (keyword === 'properties' && isRecord(a) && isRecord(b)) return mergedProperties(a, b);
  if (keyword === 'required') return [...new Set([a, b].flat())];
  if (keyword === 'type') return commonTypes([a].flat(), [b].flat());
  if (keyword === 'enum' && Array.isArray(a) && Array.isArray(b)) {
    const texts = new Set(b.map((value) => JSON.stringify(value)));
    return a.filter((value) => texts.has(JSON.stringify(value)));
  }
  if (keyword === 'additionalProperties' && (a === false || b === false)) return false;
  return b;
}

function mergedProperties(a: Schema, b: Schema): Schema {
  const merged: Record<string, unknown> = { ...a, ...b };
  for (const name of Object.keys(a)) if (Object.hasOwn(b, name)) merged[name] = { allOf: [a[name], b[name]] };
  return merged;
}

function commonTypes(a: readonly unknown[], b: readonly unknown[]): readonly unknown[] {
  const common = a.filter((type) => b.includes(type) || (type === 'integer' && b.includes('number')));
  return common.length > 0 ? common : b.filter((type) => type === 'integer' && a.includes('number'));
}

/** A schema of which all that can be checked is checked. */
export interface CheckableSchema extends JsonSchema {
  /** Without what cannot be checked. */
  readonly schema: unknown;
  /** False when parts had to be left out: what fits may still be refused for good reasons. */
  readonly isWhole: boolean;
}

/** Whether a value fits; undefined where finding out takes too much work. */
export function fits({ problemsIn }: CheckableSchema, value: unknown): boolean | undefined {
  try {
    return problemsIn(value).length === 0;
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  }
}

const mostParts = 100;

/** Leaves out what cannot be checked here, such as look-ahead in patterns; undefined when nothing is left. */
export function checkableSchema(written: unknown): CheckableSchema | undefined {
  const schema: unknown = structuredClone(written);
  for (let left = 0; left < mostParts; left++) {
    try {
      const { problemsIn } = compileJsonSchema(schema);
      return { schema, isWhole: left === 0, problemsIn: (value) => problemsIn(value) };
    } catch (error) {
      if (!(error instanceof UnusableSchema) || !removeAt(schema, error.path)) return undefined;
    }
  }
  return undefined;
}

function removeAt(root: unknown, path: readonly (string | number)[]): boolean {
  const key = path.at(-1);
  const around = path.slice(0, -1).reduce<unknown>((part, step) => Object(part)[step], root);
  if (key === undefined || !isRecord(around) || !Object.hasOwn(around, key)) return false;
  delete around[String(key)];
  return true;
}
