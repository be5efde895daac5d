import { counted } from '../format.ts';
import { isRecord } from '../json.ts';
import type { Rule, Rules, Seen, Walk } from './rule.ts';

type SeenList = Seen & { readonly value: readonly unknown[] };

/** A rule that only arrays can break. */
export function ofArrays<Wanted>(
  rule: (wanted: Wanted, seen: SeenList, schema: Readonly<Record<string, unknown>>, walk: Walk) => boolean,
): Rule {
  return (wanted: Wanted, seen, schema, walk) =>
    !Array.isArray(seen.value) || rule(wanted, seen as SeenList, schema, walk);
}

function eachFrom(start: number, schemaAt: (index: number) => unknown, seen: SeenList, walk: Walk): boolean {
  let isRight = true;
  for (let index = start; index < seen.value.length; index++) {
    const schema = schemaAt(index);
    if (schema === undefined) continue;
    seen.evaluated?.add(index);
    if (walk.accepts(schema, seen.part(index, seen.value[index]))) continue;
    isRight = false;
    if (seen.isSilent) return false;
  }
  return isRight;
}

/** Keywords about arrays. */
export const arrayRules: Rules = {
  prefixItems: ofArrays((schemas: readonly unknown[], seen, _schema, walk) =>
    eachFrom(0, (index) => schemas[index], seen, walk),
  ),
  items: ofArrays((wanted: unknown, seen, { prefixItems }, walk) =>
    Array.isArray(wanted)
      ? eachFrom(0, (index) => wanted[index], seen, walk)
      : eachFrom(Array.isArray(prefixItems) ? prefixItems.length : 0, () => wanted, seen, walk),
  ),
  additionalItems: ofArrays(
    (wanted: unknown, seen, { items }, walk) =>
      !Array.isArray(items) || eachFrom(items.length, () => wanted, seen, walk),
  ),
  contains: ofArrays((wanted: unknown, seen, { minContains, maxContains }, walk) => {
    const least = typeof minContains === 'number' ? minContains : 1;
    const most = typeof maxContains === 'number' ? maxContains : Number.POSITIVE_INFINITY;
    let found = 0;
    for (const [index, item] of seen.value.entries()) {
      if (!walk.accepts(wanted, seen.part(index, item).quietly())) continue;
      seen.evaluated?.add(index);
      found++;
    }
    if (found >= least && found <= most) return true;
    const limits = maxContains === undefined ? `at least ${least}` : `${least} to ${most}`;
    return seen.fails(`holds ${counted(found, 'item')} of the kind that it must hold ${limits} of`);
  }),
  minItems: ofArrays(
    (least: number, seen) =>
      seen.value.length >= least || seen.fails(`has ${counted(seen.value.length, 'item')}, fewer than ${least}`),
  ),
  maxItems: ofArrays(
    (most: number, seen) =>
      seen.value.length <= most || seen.fails(`has ${counted(seen.value.length, 'item')}, more than ${most}`),
  ),
  uniqueItems: ofArrays((isWanted: boolean, seen, _schema, walk) => {
    if (!isWanted) return true;
    const keys = new Set<string>();
    const repeated = seen.value.findIndex((item) => keys.size === keys.add(keyOf(item, walk)).size);
    return repeated === -1 || seen.fails(`item ${repeated} is there twice`);
  }),
};

/** Equal values, and only they, have equal keys. */
function keyOf(value: unknown, walk: Walk): string {
  walk.spend(1);
  if (Array.isArray(value)) return `[${value.map((item) => keyOf(item, walk)).join(',')}]`;
  if (!isRecord(value)) return typeof value === 'string' ? JSON.stringify(value) : String(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${keyOf(value[name], walk)}`).join(',')}}`;
}

type Named<Value> = Readonly<Record<string, Value>>;

type SeenObject = Seen & { readonly value: Named<unknown> };

/** A rule that only objects can break. */
export function ofObjects<Wanted>(
  rule: (wanted: Wanted, seen: SeenObject, schema: Named<unknown>, walk: Walk) => boolean,
): Rule {
  return (wanted: Wanted, seen, schema, walk) =>
    !isRecord(seen.value) || rule(wanted, seen as SeenObject, schema, walk);
}

/** Checks all of them, so all problems are reported. */
function all(holding: readonly boolean[]): boolean {
  return holding.every((holds) => holds);
}

const dependentRequired = ofObjects((wanted: Named<readonly string[]>, seen) =>
  all(
    Object.entries(wanted).map(([name, others]) => {
      const missing = Object.hasOwn(seen.value, name)
        ? others.find((other) => !Object.hasOwn(seen.value, other))
        : undefined;
      return missing === undefined || seen.fails(`\`${missing}\` is missing, which \`${name}\` asks for`);
    }),
  ),
);

const dependentSchemas = ofObjects((wanted: Named<unknown>, seen, _schema, walk) =>
  all(Object.entries(wanted).map(([name, schema]) => !Object.hasOwn(seen.value, name) || seen.alsoFits(schema, walk))),
);

/** Keywords about objects. */
export const objectRules: Rules = {
  required: ofObjects((names: readonly string[], seen, _schema, walk) => {
    walk.spend(names.length);
    return all(names.map((name) => Object.hasOwn(seen.value, name) || seen.fails(`\`${name}\` is missing`)));
  }),
  properties: ofObjects((schemas: Named<unknown>, seen, _schema, walk) => {
    const names = Object.keys(schemas);
    walk.spend(names.length);
    const present = names.filter((name) => Object.hasOwn(seen.value, name));
    return all(present.map((name) => fits(name, schemas[name], seen, walk)));
  }),
  patternProperties: ofObjects((schemas: Named<unknown>, seen, _schema, walk) =>
    all(
      Object.entries(schemas).flatMap(([pattern, schema]) =>
        Object.entries(seen.value)
          .filter(([name]) => walk.matches(pattern, name))
          .map(([name]) => fits(name, schema, seen, walk)),
      ),
    ),
  ),
  additionalProperties: ofObjects((wanted: unknown, seen, { properties, patternProperties }, walk) => {
    if (wanted === true && !seen.evaluated) return true;
    const patterns = Object.keys(Object(patternProperties ?? {}));
    const others = Object.keys(seen.value).filter(
      (name) =>
        !Object.hasOwn(Object(properties ?? {}), name) && !patterns.some((pattern) => walk.matches(pattern, name)),
    );
    walk.spend(others.length);
    if (wanted === false)
      return others.length === 0 || seen.fails(`there is more than is allowed: ${listedNames(others)}`);
    return all(others.map((name) => fits(name, wanted, seen, walk)));
  }),
  propertyNames: ofObjects((schema: unknown, seen, _schema, walk) =>
    all(
      Object.keys(seen.value).map(
        (name) =>
          walk.accepts(schema, seen.part(name, name).quietly()) || seen.fails(`\`${name}\` is not an allowed name`),
      ),
    ),
  ),
  minProperties: ofObjects((least: number, seen) => {
    const count = Object.keys(seen.value).length;
    return count >= least || seen.fails(`has ${counted(count, 'property', 'properties')}, fewer than ${least}`);
  }),
  maxProperties: ofObjects((most: number, seen) => {
    const count = Object.keys(seen.value).length;
    return count <= most || seen.fails(`has ${counted(count, 'property', 'properties')}, more than ${most}`);
  }),
  dependentRequired,
  dependentSchemas,
  dependencies: (wanted: Named<unknown>, seen, schema, walk) => {
    const lists = Object.entries(wanted).filter(([, others]) => Array.isArray(others));
    const schemas = Object.entries(wanted).filter(([, others]) => !Array.isArray(others));
    const areRight = dependentRequired(Object.fromEntries(lists) as never, seen, schema, walk);
    return dependentSchemas(Object.fromEntries(schemas) as never, seen, schema, walk) && areRight;
  },
};

/** Whether a schema allows a property, which then counts as evaluated. */
export function fits(name: string, schema: unknown, seen: SeenObject, walk: Walk): boolean {
  seen.evaluated?.add(name);
  return walk.accepts(schema, seen.part(name, seen.value[name]));
}

export function listedNames(names: readonly string[]): string {
  const listed = names.slice(0, 5).map((name) => `\`${name}\``);
  return `${listed.join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;
}
