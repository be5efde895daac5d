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

/** A method bound to its name, for whatever value turns up; undefined when the value has no such method. */
export type MethodCall = ((value: unknown, args: readonly unknown[], run: Run, site: CallSite) => unknown) & {};

/** Tells whether a value has the named method that takes values rather than a callback. */
export interface MethodChoice {
  has(value: unknown): boolean;
  call: MethodCall;
}

/** Collects what a method name means for each type of value. */
export function chooseMethod(name: string): MethodChoice {
  const onString = stringMethods.get(name);
  const onArray = arrayMethods.get(name);
  const onNumber = numberMethods.get(name);
  const isHasOwn = name === 'hasOwnProperty';
  const isToString = name === 'toString';
  return {
    has(value) {
      if (typeof value === 'string') return onString !== undefined;
      if (typeof value === 'number') return onNumber !== undefined;
      if (typeof value === 'boolean') return isToString;
      if (Array.isArray(value)) return onArray !== undefined;
      return isHasOwn;
    },
    call(value, args, run, site) {
      if (typeof value === 'string') return onString?.(value, args, run, site);
      if (typeof value === 'number') return onNumber?.(value, args, run, site);
      if (typeof value === 'boolean') return String(value);
      if (Array.isArray(value)) return onArray?.(value, args, run);
      return Object.hasOwn(Object(value), toText(args[0], run));
    },
  };
}
