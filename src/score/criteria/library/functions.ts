import { guardValueDepth, type Run, spendScan, spendSize, spendSteps } from '../budget.ts';
import { type CallSite, refuseCall } from '../criterion-error.ts';
import { type DataObject, isDataObject, setOwn, toNumber, toText } from '../values.ts';

type MathFunction = (args: readonly unknown[], run: Run) => number;

const unaryNames = (
  'abs acos acosh asin asinh atan atanh cbrt ceil clz32 cos cosh exp expm1 floor fround log log10 log1p log2 ' +
  'round sign sin sinh sqrt tan tanh trunc'
).split(' ') as UnaryName[];

type UnaryName = {
  [Name in keyof Math]: Math[Name] extends (x: number) => number ? Name : never;
}[Exclude<keyof Math, 'random' | 'max' | 'min' | 'hypot'>] &
  string;

/** The functions of `Math` that give the same answer every time. */
const mathFunctions: readonly (readonly [string, MathFunction])[] = [
  ...unaryNames.map((name) => [`Math.${name}`, unary(Math[name])] as const),
  ['Math.max', (args, run) => numbers(args, run).reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)],
  ['Math.min', (args, run) => numbers(args, run).reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)],
  ['Math.hypot', (args, run) => numbers(args, run).reduce((a, b) => Math.hypot(a, b), 0)],
  ['Math.pow', (args, run) => toNumber(args[0], run) ** toNumber(args[1], run)],
  ['Math.atan2', (args, run) => Math.atan2(toNumber(args[0], run), toNumber(args[1], run))],
  ['Math.imul', (args, run) => Math.imul(toNumber(args[0], run), toNumber(args[1], run))],
];

/** A function called by name: its arguments, whom to pay, and where it is called. */
type NamedFunction = (args: readonly unknown[], run: Run, site: CallSite) => unknown;

/** The functions the language knows, by the name they are written with. */
export const functions: ReadonlyMap<string, NamedFunction> = new Map<string, NamedFunction>([
  ...mathFunctions,
  ['Object.keys', (args, run, site) => entriesOf(args[0], run, site).map(([key]) => key)],
  ['Object.values', (args, run, site) => entriesOf(args[0], run, site).map(([, value]) => value)],
  ['Object.entries', (args, run, site) => entriesOf(args[0], run, site)],
  ['Object.hasOwn', hasOwn],
  ['Object.fromEntries', fromEntries],
  ['Array.isArray', (args) => Array.isArray(args[0])],
  ['Array.of', (args, run) => arrayFrom(args, run)],
  ['Array.from', (args, run, site) => arrayFrom(sequence(args[0], run, site), run)],
  ['JSON.stringify', stringify],
  ['JSON.parse', (args, run, site) => readJson(args[0], run, site)],
  ['Number', (args, run) => (args.length === 0 ? 0 : toNumber(args[0], run))],
  ['String', (args, run) => (args.length === 0 ? '' : toText(args[0], run))],
  ['Boolean', (args) => Boolean(args[0])],
  ['parseInt', parseWhole],
  ['parseFloat', (args, run) => Number.parseFloat(toText(args[0], run))],
  ['isNaN', (args, run) => Number.isNaN(toNumber(args[0], run))],
  ['isFinite', (args, run) => Number.isFinite(toNumber(args[0], run))],
  ['Number.parseInt', parseWhole],
  ['Number.parseFloat', (args, run) => Number.parseFloat(toText(args[0], run))],
  ['Number.isInteger', (args) => Number.isInteger(args[0])],
  ['Number.isSafeInteger', (args) => Number.isSafeInteger(args[0])],
  ['Number.isFinite', (args) => Number.isFinite(args[0])],
  ['Number.isNaN', (args) => Number.isNaN(args[0])],
]);

/** The constants the language knows, by the name they are written with. */
export const constants: ReadonlyMap<string, number> = new Map([
  ...(['E', 'LN10', 'LN2', 'LOG10E', 'LOG2E', 'PI', 'SQRT1_2', 'SQRT2'] as const).map(
    (name) => [`Math.${name}`, Math[name]] as const,
  ),
  ['Number.EPSILON', Number.EPSILON],
  ['Number.MAX_SAFE_INTEGER', Number.MAX_SAFE_INTEGER],
  ['Number.MIN_SAFE_INTEGER', Number.MIN_SAFE_INTEGER],
  ['Number.MAX_VALUE', Number.MAX_VALUE],
  ['Number.MIN_VALUE', Number.MIN_VALUE],
  ['Number.NaN', Number.NaN],
  ['Number.POSITIVE_INFINITY', Number.POSITIVE_INFINITY],
  ['Number.NEGATIVE_INFINITY', Number.NEGATIVE_INFINITY],
]);

/** The items of what may be spread or destructured: an array, or the characters of a text. */
export function sequence(value: unknown, run: Run, site: CallSite): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return refuseCall(site, 'only an array or a text has items');
  spendSteps(run, 1 + (value.length >> 2));
  spendSize(run, value.length);
  return Array.from(value);
}

function arrayFrom(items: readonly unknown[], run: Run): unknown[] {
  spendSteps(run, 1 + (items.length >> 3));
  spendSize(run, items.length);
  return items.slice();
}

function entriesOf(value: unknown, run: Run, site: CallSite): [string, unknown][] {
  if (value === undefined || value === null) return refuseCall(site, `${value} has no properties`);
  if (typeof value !== 'object' && typeof value !== 'string') return [];
  const keys = Object.keys(value);
  spendSteps(run, 1 + keys.length);
  spendSize(run, keys.length);
  return Object.entries(value);
}

function hasOwn(args: readonly unknown[], run: Run, site: CallSite): boolean {
  const [value] = args;
  if (value === undefined || value === null) return refuseCall(site, `${value} has no properties`);
  return Object.hasOwn(Object(value), toText(args[1], run));
}

function fromEntries(args: readonly unknown[], run: Run, site: CallSite): DataObject {
  const made: DataObject = {};
  const entries = sequence(args[0], run, site);
  spendSteps(run, 1 + entries.length);
  spendSize(run, entries.length);
  for (const entry of entries) {
    if (!Array.isArray(entry)) return refuseCall(site, 'every entry must be a pair of key and value');
    setOwn(made, toText(entry[0], run), entry[1]);
  }
  return made;
}

function stringify(args: readonly unknown[], run: Run, site: CallSite): string | undefined {
  if (args[1] !== undefined && args[1] !== null) refuseCall(site, 'a replacer is not part of the criteria language');
  return writeJson(args[0], args[2], run);
}

function parseWhole(args: readonly unknown[], run: Run): number {
  const radix = args[1] === undefined ? undefined : toNumber(args[1], run);
  return Number.parseInt(toText(args[0], run), radix);
}

/** Writes a value as `JSON.stringify(value, null, indent)` does, having measured first what that will make. */
function writeJson(value: unknown, indent: unknown, run: Run): string | undefined {
  const space = typeof indent === 'number' || typeof indent === 'string' ? indent : undefined;
  const indentLength = Math.min(10, typeof space === 'string' ? space.length : (space ?? 0));
  payForJson(value, Math.max(0, indentLength), 0, run);
  return JSON.stringify(value, undefined, space);
}

function payForJson(value: unknown, indentLength: number, depth: number, run: Run): void {
  guardValueDepth(depth);
  spendSteps(run, 1);
  spendSize(run, 2 + indentLength * depth);
  if (typeof value === 'string') spendSize(run, value.length);
  if (Array.isArray(value)) {
    for (const item of value) payForJson(item, indentLength, depth + 1, run);
  } else if (isDataObject(value)) {
    for (const [key, field] of Object.entries(value)) {
      spendSize(run, key.length);
      payForJson(field, indentLength, depth + 1, run);
    }
  }
}

/** Reads JSON text; text that is not JSON leaves the criterion without an answer. */
function readJson(value: unknown, run: Run, site: CallSite): unknown {
  const text = toText(value, run);
  spendScan(run, text.length * 8);
  spendSize(run, text.length);
  try {
    return JSON.parse(text);
  } catch {
    return refuseCall(site, 'the text is not valid JSON');
  }
}

function unary(compute: (x: number) => number): MathFunction {
  return (args, run) => compute(toNumber(args[0], run));
}

function numbers(args: readonly unknown[], run: Run): number[] {
  spendSteps(run, args.length);
  return args.map((arg) => toNumber(arg, run));
}
