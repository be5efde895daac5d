import { type Run, spendSize, spendSteps } from '../budget.ts';
import { type CallSite, refuseCall } from '../criterion-error.ts';
import type { CriteriaScope } from '../scope.ts';
import { toNumber, toText } from '../values.ts';

/** Calls a callback with up to four arguments, having paid for it. */
export type Invoke = (scope: CriteriaScope, run: Run, a: unknown, b: unknown, c: unknown, d: unknown) => unknown;

/** Everything an iteration works with. */
interface Iteration {
  items: readonly unknown[];
  /** Absent only where the method allows it. */
  invoke: Invoke | undefined;
  /** The arguments after the callback. */
  args: readonly unknown[];
  scope: CriteriaScope;
  run: Run;
  site: CallSite;
}

/** An array method that takes a callback. */
interface IterationMethod {
  callback: 'required' | 'optional';
  iterate(iteration: Iteration): unknown;
}

/** The array methods that take a callback. */
export const iterations: ReadonlyMap<string, IterationMethod> = new Map<string, IterationMethod>([
  ['every', required((iteration) => indexWhere(iteration, false) === -1)],
  ['some', required((iteration) => indexWhere(iteration, true) !== -1)],
  ['find', required((iteration) => iteration.items[indexWhere(iteration, true)])],
  ['findIndex', required((iteration) => indexWhere(iteration, true))],
  ['findLast', required((iteration) => iteration.items[lastIndexWhere(iteration)])],
  ['findLastIndex', required(lastIndexWhere)],
  ['filter', required(filter)],
  ['map', required(map)],
  ['flatMap', required(flatMap)],
  ['reduce', required((iteration) => fold(iteration, 1))],
  ['reduceRight', required((iteration) => fold(iteration, -1))],
  ['toSorted', { callback: 'optional', iterate: toSorted }],
]);

function required(iterate: IterationMethod['iterate']): IterationMethod {
  return { callback: 'required', iterate };
}

function callOn({ invoke, scope, run, items }: Iteration, index: number): unknown {
  return invoke?.(scope, run, items[index], index, items, undefined);
}

function indexWhere(iteration: Iteration, wanted: boolean): number {
  for (let index = 0; index < iteration.items.length; index++) {
    if (Boolean(callOn(iteration, index)) === wanted) return index;
  }
  return -1;
}

function lastIndexWhere(iteration: Iteration): number {
  for (let index = iteration.items.length - 1; index >= 0; index--) {
    if (callOn(iteration, index)) return index;
  }
  return -1;
}

function filter(iteration: Iteration): unknown[] {
  const kept: unknown[] = [];
  for (let index = 0; index < iteration.items.length; index++) {
    if (!callOn(iteration, index)) continue;
    spendSize(iteration.run, 1);
    kept.push(iteration.items[index]);
  }
  return kept;
}

function map(iteration: Iteration): unknown[] {
  spendSize(iteration.run, iteration.items.length);
  const mapped: unknown[] = [];
  for (let index = 0; index < iteration.items.length; index++) mapped.push(callOn(iteration, index));
  return mapped;
}

function flatMap(iteration: Iteration): unknown[] {
  const flat: unknown[] = [];
  for (let index = 0; index < iteration.items.length; index++) {
    const value = callOn(iteration, index);
    const added: readonly unknown[] = Array.isArray(value) ? value : [value];
    spendSteps(iteration.run, added.length >> 3);
    spendSize(iteration.run, added.length);
    for (const item of added) flat.push(item);
  }
  return flat;
}

function fold({ items, invoke, args, scope, run, site }: Iteration, direction: 1 | -1): unknown {
  let index = direction === 1 ? 0 : items.length - 1;
  let folded = args[0];
  if (args.length === 0) {
    if (items.length === 0) refuseCall(site, 'the array is empty and there is no initial value');
    folded = items[index];
    index += direction;
  }
  for (; index >= 0 && index < items.length; index += direction) {
    folded = invoke?.(scope, run, folded, items[index], index, items);
  }
  return folded;
}

function toSorted({ items, invoke, scope, run }: Iteration): unknown[] {
  spendSize(run, items.length);
  if (invoke !== undefined) {
    return items.slice().sort((a, b) => toNumber(invoke(scope, run, a, b, undefined, undefined), run));
  }
  spendSteps(run, items.length * Math.ceil(Math.log2(items.length + 2)));
  const keyed = items.map((item) => ({ item, key: item === undefined ? undefined : sortKey(item, run) }));
  return keyed.sort(compareKeys).map(({ item }) => item);
}

function sortKey(item: unknown, run: Run): string {
  const key = toText(item, run);
  spendSteps(run, key.length >> 3);
  return key;
}

function compareKeys(a: { key: string | undefined }, b: { key: string | undefined }): number {
  if (a.key === undefined || b.key === undefined) return Number(a.key === undefined) - Number(b.key === undefined);
  if (a.key === b.key) return 0;
  return a.key < b.key ? -1 : 1;
}
