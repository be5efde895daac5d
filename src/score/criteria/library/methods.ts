import { guardValueDepth, type Run, spendSize, spendSteps } from '../budget.ts';
import { type CallSite, refuseCall } from '../criterion-error.ts';
import { joinTexts, toNumber, toText } from '../values.ts';
import { iterations } from './iterations.ts';
import { stringMethods } from './string-methods.ts';

/** A method of arrays that takes values; those that take callbacks are iterations. */
type ArrayMethod = (items: readonly unknown[], args: readonly unknown[], run: Run) => unknown;

/** The methods arrays have, apart from iterations. */
const arrayMethods: ReadonlyMap<string, ArrayMethod> = new Map<string, ArrayMethod>([
  ['includes', (items, args, run) => searched(items, args[0], run).includes(args[0], fromIndex(args[1], run))],
  ['indexOf', (items, args, run) => searched(items, args[0], run).indexOf(args[0], fromIndex(args[1], run))],
  ['lastIndexOf', lastIndexOf],
  ['slice', (items, args, run) => made(items.slice(optionalIndex(args[0], run), optionalIndex(args[1], run)), run)],
  ['at', (items, args, run) => items.at(toNumber(args[0], run))],
  ['join', (items, args, run) => joinTexts(items, args[0] === undefined ? ',' : joinTexts([args[0]], '', run), run)],
  ['concat', concat],
  ['flat', (items, args, run) => flatten(items, args[0] === undefined ? 1 : toNumber(args[0], run), run)],
  ['toReversed', (items, _args, run) => made(items.slice(), run).reverse()],
  ['keys', (items, _args, run) => made(Array.from(items.keys()), run)],
  ['entries', (items, _args, run) => made(Array.from(items.entries()), run)],
  ['toString', (items, _args, run) => joinTexts(items, ',', run)],
]);

function searched(items: readonly unknown[], wanted: unknown, run: Run): readonly unknown[] {
  const charactersEach = typeof wanted === 'string' ? wanted.length : 0;
  spendSteps(run, 1 + (items.length * (8 + charactersEach)) / 64);
  return items;
}

function fromIndex(value: unknown, run: Run): number {
  return value === undefined ? 0 : toNumber(value, run);
}

function optionalIndex(value: unknown, run: Run): number | undefined {
  return value === undefined ? undefined : toNumber(value, run);
}

function made(items: unknown[], run: Run): unknown[] {
  spendSteps(run, 1 + (items.length >> 3));
  spendSize(run, items.length);
  return items;
}

function lastIndexOf(items: readonly unknown[], args: readonly unknown[], run: Run): number {
  const from = args.length > 1 ? toNumber(args[1], run) : items.length - 1;
  return searched(items, args[0], run).lastIndexOf(args[0], from);
}

function concat(items: readonly unknown[], args: readonly unknown[], run: Run): unknown[] {
  const whole = made(items.slice(), run);
  for (const arg of args) {
    const added: readonly unknown[] = Array.isArray(arg) ? arg : [arg];
    spendSteps(run, 1 + (added.length >> 3));
    spendSize(run, added.length);
    for (const item of added) whole.push(item);
  }
  return whole;
}

function flatten(items: readonly unknown[], levels: number, run: Run): unknown[] {
  const flat: unknown[] = [];
  flattenInto(flat, items, levels, 0, run);
  return flat;
}

function flattenInto(flat: unknown[], items: readonly unknown[], levels: number, depth: number, run: Run): void {
  guardValueDepth(depth);
  spendSteps(run, 1 + (items.length >> 3));
  for (const item of items) {
    if (levels >= 1 && Array.isArray(item)) {
      flattenInto(flat, item, levels - 1, depth + 1, run);
    } else {
      spendSize(run, 1);
      flat.push(item);
    }
  }
}

/** A method of numbers. */
type NumberMethod = (value: number, args: readonly unknown[], run: Run, site: CallSite) => unknown;

/** The methods numbers have. */
const numberMethods: ReadonlyMap<string, NumberMethod> = new Map<string, NumberMethod>([
  ['toFixed', (value, args, run, site) => value.toFixed(whole(args[0] ?? 0, 0, 100, 'digits', run, site))],
  [
    'toPrecision',
    (value, args, run, site) =>
      args[0] === undefined ? String(value) : value.toPrecision(whole(args[0], 1, 100, 'precision', run, site)),
  ],
  [
    'toString',
    (value, args, run, site) => value.toString(whole(args[0] === undefined ? 10 : args[0], 2, 36, 'radix', run, site)),
  ],
]);

function whole(value: unknown, low: number, high: number, what: string, run: Run, site: CallSite): number {
  const number = Math.trunc(toNumber(value, run)) || 0;
  if (number < low || number > high) refuseCall(site, `${what} must be between ${low} and ${high}`);
  return number;
}

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

/** Methods by name and type of value, for methods that take values rather than a callback. */
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
