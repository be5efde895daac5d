import { spendSize, spendSteps } from './budget.ts';
import { compileIn, compileIndex, compileMember } from './compile-access.ts';
import { compileArguments } from './compile-arguments.ts';
import { compileFunction, compileIteration, compileMethod, compilePatternCall } from './compile-call.ts';
import { compileArithmetic, compileComparison, compileUnary } from './compile-operator.ts';
import { type Compilation, type Evaluate, shortCircuit } from './evaluate.ts';
import type { Expr, LogicalExpr, LogicalOperator } from './syntax.ts';
import { type DataObject, joinTwo, setOwn, toText } from './values.ts';

/** Prepares to turn expressions of one source into closures, each of them once. */
export function createCompilation(source: string): Compilation {
  const compiled = new Map<Expr, Evaluate>();
  const compilation: Compilation = {
    source,
    compile(expr) {
      const known = compiled.get(expr);
      if (known !== undefined) return known;
      const evaluate = compileExpr(compilation, expr);
      compiled.set(expr, evaluate);
      return evaluate;
    },
  };
  return compilation;
}

function compileExpr(compilation: Compilation, expr: Expr): Evaluate {
  switch (expr.kind) {
    case 'literal': {
      const { value } = expr;
      return () => value;
    }
    case 'root': {
      const { name } = expr;
      return (scope) => scope[name];
    }
    case 'parameter': {
      const { slot } = expr;
      return (_scope, run) => run.slots[slot];
    }
    case 'member':
      return compileMember(compilation, expr);
    case 'index':
      return compileIndex(compilation, expr);
    case 'chain':
      return compileChain(compilation, expr.expression);
    case 'method':
      return compileMethod(compilation, expr);
    case 'iteration':
      return compileIteration(compilation, expr);
    case 'pattern':
      return compilePatternCall(compilation, expr);
    case 'function':
      return compileFunction(compilation, expr);
    case 'unary':
      return compileUnary(compilation, expr.operator, expr.operand);
    case 'comparison':
      return compileComparison(compilation, expr);
    case 'arithmetic':
      return compileArithmetic(compilation, expr);
    case 'in':
      return compileIn(compilation, expr);
    case 'logical':
      return compileLogical(compilation, expr);
    case 'conditional':
      return compileConditional(compilation, expr);
    case 'template':
      return compileTemplate(compilation, expr);
    case 'array':
      return compileArray(compilation, expr);
    case 'object':
      return compileObject(compilation, expr);
  }
}

function compileChain({ compile }: Compilation, expr: Expr): Evaluate {
  const evaluate = compile(expr);
  return (scope, run) => {
    const value = evaluate(scope, run);
    return value === shortCircuit ? undefined : value;
  };
}

const logicalJoins: Readonly<Record<LogicalOperator, (left: Evaluate, right: Evaluate) => Evaluate>> = {
  '&&': (left, right) => (scope, run) => left(scope, run) && right(scope, run),
  '||': (left, right) => (scope, run) => left(scope, run) || right(scope, run),
  '??': (left, right) => (scope, run) => left(scope, run) ?? right(scope, run),
};

function compileLogical({ compile }: Compilation, { operator, operands }: LogicalExpr): Evaluate {
  return operands.map(compile).reduce((left, right) => logicalJoins[operator](left, right));
}

function compileConditional({ compile }: Compilation, expr: Expr & { kind: 'conditional' }): Evaluate {
  const test = compile(expr.test);
  const consequent = compile(expr.consequent);
  const alternate = compile(expr.alternate);
  return (scope, run) => (test(scope, run) ? consequent(scope, run) : alternate(scope, run));
}

function compileTemplate({ compile }: Compilation, expr: Expr & { kind: 'template' }): Evaluate {
  const [start = '', ...texts] = expr.texts;
  const parts = expr.parts.map(compile);
  return (scope, run) => {
    let whole = start;
    parts.forEach((part, position) => {
      whole = joinTwo(whole, toText(part(scope, run), run), run) + (texts[position] ?? '');
    });
    return whole;
  };
}

function compileArray(compilation: Compilation, expr: Expr & { kind: 'array' }): Evaluate {
  const elements = compileArguments(compilation, expr.elements);
  return (scope, run) => {
    const items = elements(scope, run);
    spendSize(run, items.length);
    return items;
  };
}

function compileObject({ compile }: Compilation, expr: Expr & { kind: 'object' }): Evaluate {
  const entries = expr.entries.map((entry) =>
    entry.kind === 'property'
      ? { key: compile(entry.key), value: compile(entry.value) }
      : { key: undefined, value: compile(entry.argument) },
  );
  return (scope, run) => {
    const made: DataObject = {};
    for (const { key, value } of entries) {
      const given = value(scope, run);
      const added = key === undefined ? fieldsOf(given) : [[toText(key(scope, run), run), given] as const];
      spendSteps(run, added.length);
      spendSize(run, added.length);
      for (const [name, field] of added) setOwn(made, name, field);
    }
    return made;
  };
}

function fieldsOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
