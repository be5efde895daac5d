import { type Run, spendSteps } from '../budget.ts';
import { Obstacle } from '../criterion-error.ts';
import { functions, sequence } from '../library/functions.ts';
import { type Invoke, iterations } from '../library/iterations.ts';
import { chooseMethod } from '../library/methods.ts';
import { patternMethods } from '../library/pattern-methods.ts';
import type {
  Argument,
  Binding,
  Callback,
  CriteriaScope,
  FunctionExpr,
  IterationExpr,
  LiteralValue,
  MethodExpr,
  PatternExpr,
} from '../syntax.ts';
import { describeType, describeValue, readOwn, toText } from '../values.ts';
import { missingPart } from './compile-access.ts';
import { type Compilation, compileArguments, type Evaluate, shortCircuit, siteOf, textOf } from './evaluate.ts';

/** Compiles a callback; calling it costs as many steps as it has nodes. */
export function compileCallback(compilation: Compilation, callback: Callback): Invoke | undefined {
  switch (callback.kind) {
    case 'none':
      return undefined;
    case 'reference': {
      const call = functions.get(callback.name);
      const site = siteOf(compilation.source, callback);
      return (_scope, run, a, b, c) => {
        spendSteps(run, 2);
        return call?.([a, b, c], run, site);
      };
    }
    case 'arrow':
      return compileArrow(compilation, callback);
  }
}

function compileArrow(compilation: Compilation, { bindings, body, cost }: Callback & { kind: 'arrow' }): Invoke {
  const evaluate = compilation.compile(body);
  const [only, ...others] = bindings;
  if (only?.kind === 'slot' && others.length === 0) {
    const { slot } = only;
    return (scope, run, item) => {
      spendSteps(run, cost);
      run.slots[slot] = item;
      return evaluate(scope, run);
    };
  }
  return (scope, run, a, b, c, d) => {
    spendSteps(run, cost);
    bindArguments(bindings, [a, b, c, d], run);
    return evaluate(scope, run);
  };
}

/** Gives the parameters of a callback their values for one call. */
function bindArguments(bindings: readonly Binding[], values: readonly unknown[], run: Run): void {
  bindings.forEach((binding, position) => {
    bind(binding, values[position], run);
  });
}

function bind(binding: Binding, value: unknown, run: Run): void {
  if (binding.kind === 'slot') {
    run.slots[binding.slot] = value;
    return;
  }
  if (value === undefined || value === null) {
    throw new Obstacle(`an item is ${describeValue(value)}, so ${binding.text} cannot be read from it`);
  }
  if (binding.kind === 'fields') {
    for (const { key, target } of binding.fields) bind(target, readOwn(value, key), run);
    return;
  }
  const items = sequence(value, run, binding);
  binding.items.forEach((target, position) => {
    if (target !== undefined) bind(target, items[position], run);
  });
}

/** Compiles a call of a function the language knows by name. */
export function compileFunction(compilation: Compilation, expr: FunctionExpr): Evaluate {
  const call = functions.get(expr.name);
  const args = compileArguments(compilation, expr.args);
  const site = siteOf(compilation.source, expr);
  return (scope, run) => call?.(args(scope, run), run, site);
}

type Call = MethodExpr | IterationExpr | PatternExpr;

/** Looks at a receiver before its method is called: ends the chain or the evaluation when there is nothing to call. */
function createReceiverCheck(
  source: string,
  expr: Call,
  has: (value: unknown) => boolean,
): (value: unknown) => unknown {
  const missing = missingPart(source, expr.receiver, expr, 'called');
  return (value) => {
    if (value === shortCircuit) return shortCircuit;
    if (value === undefined || value === null) {
      if (expr.optional) return shortCircuit;
      throw missing(value);
    }
    if (has(value)) return value;
    if (expr.optionalCall) return shortCircuit;
    throw lacksMethod(textOf(source, expr.receiver), value, expr.name);
  };
}

function lacksMethod(text: string, value: unknown, name: string): Obstacle {
  const type = describeType(value);
  const description = typeof value === 'object' ? type : `${describeValue(value)}, ${type}`;
  return new Obstacle(`${text} is ${description}, which has no method ${name}`);
}

/** Texts up to this length are searched without paying: the search costs no more than a step. */
const shortTextLength = 1_024;

const textTests: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  includes: (text, part) => text.includes(part),
  startsWith: (text, part) => text.startsWith(part),
  endsWith: (text, part) => text.endsWith(part),
};

/** Compiles a method call; searching a short text for a literal gets its own, faster closure. */
export function compileMethod(compilation: Compilation, expr: MethodExpr): Evaluate {
  const method = chooseMethod(expr.name);
  const receiver = compilation.compile(expr.receiver);
  const check = createReceiverCheck(compilation.source, expr, method.has);
  const args = compileArguments(compilation, expr.args);
  const site = siteOf(compilation.source, expr);
  const callOn = (value: unknown, scope: CriteriaScope, run: Run): unknown =>
    check(value) === shortCircuit ? shortCircuit : method.call(value, args(scope, run), run, site);
  const test = Object.hasOwn(textTests, expr.name) ? textTests[expr.name] : undefined;
  const part = onlyLiteral(expr.args);
  if (test === undefined || typeof part !== 'string') return (scope, run) => callOn(receiver(scope, run), scope, run);
  return (scope, run) => {
    const value = receiver(scope, run);
    if (typeof value === 'string' && value.length <= shortTextLength) return test(value, part);
    return callOn(value, scope, run);
  };
}

function onlyLiteral(args: readonly Argument[]): LiteralValue {
  const [only] = args;
  return only?.kind === 'literal' && args.length === 1 ? only.value : undefined;
}

/** Compiles an array method with its callback. */
export function compileIteration(compilation: Compilation, expr: IterationExpr): Evaluate {
  const method = iterations.get(expr.name);
  const receiver = compilation.compile(expr.receiver);
  const check = createReceiverCheck(compilation.source, expr, Array.isArray);
  const invoke = compileCallback(compilation, expr.callback);
  const args = compileArguments(compilation, expr.args);
  const site = siteOf(compilation.source, expr);
  return (scope, run) => {
    const items = check(receiver(scope, run));
    if (!Array.isArray(items)) return shortCircuit;
    return method?.iterate({ items, invoke, args: args(scope, run), scope, run, site });
  };
}

/** Compiles the use of a regular expression: `/x/.test(value)` converts its argument, the rest are methods of texts. */
export function compilePatternCall(compilation: Compilation, expr: PatternExpr): Evaluate {
  const method = patternMethods.get(expr.name);
  const args = compileArguments(compilation, expr.args);
  const receiver = compilation.compile(expr.receiver);
  const check = createReceiverCheck(compilation.source, expr, (value) => typeof value === 'string');
  const isTest = expr.name === 'test';
  return (scope, run) => {
    const value = receiver(scope, run);
    if (!isTest && check(value) === shortCircuit) return shortCircuit;
    return method?.(toText(value, run), expr.pattern, args(scope, run), run);
  };
}
