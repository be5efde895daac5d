import { guardValueDepth, type Run, spendSize, spendSteps } from './budget.ts';
import { joinTexts, toNumber } from './values.ts';

/** A method of arrays that takes values; those that take callbacks are iterations. */
type ArrayMethod = (items: readonly unknown[], args: readonly unknown[], run: Run) => unknown;

/** The methods arrays have, apart from iterations. */
export const arrayMethods: ReadonlyMap<string, ArrayMethod> = new Map<string, ArrayMethod>([
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
