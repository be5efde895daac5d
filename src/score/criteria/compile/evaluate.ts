import { type Run, spendSize, spendSteps } from '../budget.ts';
import type { CallSite } from '../criterion-error.ts';
import { sequence } from '../library/functions.ts';
import type { Argument, CriteriaScope, Expr, Span } from '../syntax.ts';

/** A compiled expression. */
export type Evaluate = (scope: CriteriaScope, run: Run) => unknown;

/** State shared by the steps of compilation. */
export interface Compilation {
  readonly source: string;
  compile(expr: Expr): Evaluate;
}

/** Marks an optional chain that ended early; it never leaves the chain. */
export const shortCircuit: unique symbol = Symbol('short circuit');

/** Gives the text of a node on one line, for explanations. */
export function textOf(source: string, { start, end }: Span): string {
  return source.slice(start, end).replace(/\s+/g, ' ');
}

/** Describes a call for the explanations of whatever goes wrong in it. */
export function siteOf(source: string, span: Span): CallSite {
  return { text: textOf(source, span) };
}

/** A compiled list of arguments or elements. */
type EvaluateList = (scope: CriteriaScope, run: Run) => unknown[];

/** Compiles the arguments of a call or the elements of an array literal, spreads included. */
export function compileArguments(compilation: Compilation, args: readonly Argument[]): EvaluateList {
  if (args.some((arg) => arg.kind === 'spread')) return compileSpreads(compilation, args);
  const evaluates = args.map((arg) => compilation.compile(arg.kind === 'spread' ? arg.argument : arg));
  const [first, second] = evaluates;
  if (first === undefined) return () => [];
  if (second === undefined) return (scope, run) => [first(scope, run)];
  return (scope, run) => evaluates.map((evaluate) => evaluate(scope, run));
}

function compileSpreads(compilation: Compilation, args: readonly Argument[]): EvaluateList {
  const appends = args.map((arg) => {
    if (arg.kind !== 'spread') return appendOne(compilation.compile(arg));
    const evaluate = compilation.compile(arg.argument);
    const site = siteOf(compilation.source, arg);
    return (list: unknown[], scope: CriteriaScope, run: Run): void => {
      const items = sequence(evaluate(scope, run), run, site);
      spendSteps(run, 1 + (items.length >> 3));
      spendSize(run, items.length);
      for (const item of items) list.push(item);
    };
  });
  return (scope, run) => {
    const list: unknown[] = [];
    for (const append of appends) append(list, scope, run);
    return list;
  };
}

function appendOne(evaluate: Evaluate): (list: unknown[], scope: CriteriaScope, run: Run) => void {
  return (list, scope, run) => {
    list.push(evaluate(scope, run));
  };
}
