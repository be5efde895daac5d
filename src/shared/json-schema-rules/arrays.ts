import { isRecord } from '../json.ts';
import { counted } from '../numbers.ts';
import type { Rule, Rules, Seen, Walk } from './rule.ts';

type SeenList = Seen & { readonly value: readonly unknown[] };

/** A rule that only arrays can break. */
function ofArrays<Wanted>(
  rule: (wanted: Wanted, seen: SeenList, schema: Readonly<Record<string, unknown>>, walk: Walk) => boolean,
): Rule {
  return (wanted: Wanted, seen, schema, walk) =>
    !Array.isArray(seen.value) || rule(wanted, seen as SeenList, schema, walk);
}

function eachFrom(start: number, schemaAt: (index: number) => unknown, seen: SeenList, walk: Walk): boolean {
  let isRight = true;
  for (let index = start; index < seen.value.length; index++) {
    const schema = schemaAt(index);
    if (schema === undefined || walk.accepts(schema, seen.part(index, seen.value[index]))) continue;
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
    const found = seen.value.filter((item, index) => walk.accepts(wanted, seen.part(index, item).quietly())).length;
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
