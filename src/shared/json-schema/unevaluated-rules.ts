import { fits, listedNames, ofArrays, ofObjects } from './container-rules.ts';
import type { Rules } from './rule.ts';

/** Keywords about what no other keyword looked at; they come after all others of their schema. */
export const unevaluatedRules: Rules = {
  unevaluatedProperties: ofObjects((wanted: unknown, seen, _schema, walk) => {
    const others = Object.keys(seen.value).filter((name) => !seen.evaluated?.has(name));
    walk.spend(others.length);
    if (wanted === false)
      return others.length === 0 || seen.fails(`there is more than is allowed: ${listedNames(others)}`);
    return others.filter((name) => !fits(name, wanted, seen, walk)).length === 0;
  }),
  unevaluatedItems: ofArrays((wanted: unknown, seen, _schema, walk) => {
    const others = [...seen.value.keys()].filter((index) => !seen.evaluated?.has(index));
    walk.spend(others.length);
    if (wanted === false) return others.length === 0 || seen.fails(`item ${others[0]} is more than is allowed`);
    for (const index of others) seen.evaluated?.add(index);
    return others.filter((index) => !walk.accepts(wanted, seen.part(index, seen.value[index]))).length === 0;
  }),
};
