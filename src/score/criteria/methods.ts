import { arrayMethods } from './array-methods.ts';
import type { Run } from './budget.ts';
import { iterations } from './iterations.ts';
import { numberMethods } from './number-methods.ts';
import type { CallSite } from './obstacle.ts';
import { stringMethods } from './string-methods.ts';
import { toText } from './values.ts';

/** Names of the methods that apply a regular expression to a text. */
export const patternMethodNames = ['match', 'matchAll', 'search', 'replace', 'replaceAll', 'split'] as const;

/** The method names at least one type of value has. */
export const methodNames: ReadonlySet<string> = new Set([
  ...stringMethods.keys(),
  ...arrayMethods.keys(),
  ...numberMethods.keys(),
  ...iterations.keys(),
  ...patternMethodNames,
  'hasOwnProperty',
  'test',
]);

/** What a method name means for each type of value, for methods that take values rather than a callback. */
interface MethodChoice {
  has(value: unknown): boolean;
  call(value: unknown, args: readonly unknown[], run: Run, site: CallSite): unknown;
}

/** Collects what a method name means for each type of value. */
export function chooseMethod(name: string): MethodChoice {
  if (name === 'hasOwnProperty') {
    return { has: () => true, call: (value, args, run) => Object.hasOwn(Object(value), toText(args[0], run)) };
  }
  const onString = stringMethods.get(name);
  const onArray = arrayMethods.get(name);
  const onNumber = numberMethods.get(name);
  return {
    has(value) {
      if (typeof value === 'string') return onString !== undefined;
      if (typeof value === 'number') return onNumber !== undefined;
      if (typeof value === 'boolean') return name === 'toString';
      return Array.isArray(value) && onArray !== undefined;
    },
    call(value, args, run, site) {
      if (typeof value === 'string') return onString?.(value, args, run, site);
      if (typeof value === 'number') return onNumber?.(value, args, run, site);
      if (Array.isArray(value)) return onArray?.(value, args, run);
      return String(value);
    },
  };
}
