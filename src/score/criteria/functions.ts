import { type Run, spendSize, spendSteps } from './budget.ts';
import { readJson, writeJson } from './json-text.ts';
import { mathFunctions } from './math-functions.ts';
import { type CallSite, refuseCall } from './obstacle.ts';
import { type DataObject, setOwn, toNumber, toText } from './values.ts';

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
