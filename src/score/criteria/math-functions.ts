import { type Run, spendSteps } from './budget.ts';
import { toNumber } from './values.ts';

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
export const mathFunctions: readonly (readonly [string, MathFunction])[] = [
  ...unaryNames.map((name) => [`Math.${name}`, unary(Math[name])] as const),
  ['Math.max', (args, run) => numbers(args, run).reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)],
  ['Math.min', (args, run) => numbers(args, run).reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)],
  ['Math.hypot', (args, run) => numbers(args, run).reduce((a, b) => Math.hypot(a, b), 0)],
  ['Math.pow', (args, run) => toNumber(args[0], run) ** toNumber(args[1], run)],
  ['Math.atan2', (args, run) => Math.atan2(toNumber(args[0], run), toNumber(args[1], run))],
  ['Math.imul', (args, run) => Math.imul(toNumber(args[0], run), toNumber(args[1], run))],
];

function unary(compute: (x: number) => number): MathFunction {
  return (args, run) => compute(toNumber(args[0], run));
}

function numbers(args: readonly unknown[], run: Run): number[] {
  spendSteps(run, args.length);
  return args.map((arg) => toNumber(arg, run));
}
