import { type Run, spendSize, spendSteps } from './budget.ts';
import { type Compilation, type Evaluate, siteOf } from './evaluate.ts';
import { sequence } from './functions.ts';
import type { CriteriaScope } from './scope.ts';
import type { Argument } from './syntax.ts';

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
