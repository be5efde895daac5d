import { isRecord } from '../../shared/json.ts';

type Schema = Readonly<Record<string, unknown>>;

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
