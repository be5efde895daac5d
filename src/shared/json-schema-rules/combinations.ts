import { counted } from '../numbers.ts';
import type { Rule, Rules } from './rule.ts';

const reference: Rule = (ref: string, seen, _schema, walk) => walk.accepts(walk.referred(ref), seen.again());

/** Keywords that apply further schemas to the same value. */
export const combinationRules: Rules = {
  $ref: reference,
  $dynamicRef: reference,
  $recursiveRef: reference,
  allOf: (schemas: readonly unknown[], seen, _schema, walk) => {
    let isRight = true;
    for (const schema of schemas) {
      if (walk.accepts(schema, seen.again())) continue;
      isRight = false;
      if (seen.isSilent) return false;
    }
    return isRight;
  },
  anyOf: (schemas: readonly unknown[], seen, _schema, walk) => {
    if (schemas.length === 1) return walk.accepts(schemas[0], seen.again());
    const isRight = schemas.some((schema) => walk.accepts(schema, seen.quietly()));
    return isRight || seen.fails(`fits none of ${counted(schemas.length, 'alternative')}`);
  },
  oneOf: (schemas: readonly unknown[], seen, _schema, walk) => {
    if (schemas.length === 1) return walk.accepts(schemas[0], seen.again());
    const fitting = schemas.filter((schema) => walk.accepts(schema, seen.quietly())).length;
    return fitting === 1 || seen.fails(`fits ${fitting} of ${counted(schemas.length, 'alternative')}, not exactly one`);
  },
  not: (schema: unknown, seen, _schema, walk) =>
    !walk.accepts(schema, seen.quietly()) || seen.fails('fits a schema that it must not fit'),
  if: (schema: unknown, seen, { then: whenMet, else: otherwise }, walk) => {
    const chosen = walk.accepts(schema, seen.quietly()) ? whenMet : otherwise;
    return chosen === undefined || walk.accepts(chosen, seen.again());
  },
};
