import type { Run } from './budget.ts';
import { type CallSite, refuseCall } from './obstacle.ts';
import { toNumber } from './values.ts';

/** A method of numbers. */
type NumberMethod = (value: number, args: readonly unknown[], run: Run, site: CallSite) => unknown;

/** The methods numbers have. */
export const numberMethods: ReadonlyMap<string, NumberMethod> = new Map<string, NumberMethod>([
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
