import { isSameInteger } from '../../../shared/json-digits.ts';
import { type Run, spendScan, spendSize, spendSteps } from '../budget.ts';
import type {
  AnyScope,
  ArithmeticOperator,
  ComparisonExpr,
  ComparisonOperator,
  Expr,
  LogicalExpr,
  LogicalOperator,
  UnaryOperator,
} from '../syntax.ts';
import { type DataObject, joinTwo, looselyEqual, setOwn, toNumber, toPrimitive, toText } from '../values.ts';
import { compileIn, compileIndex, compileMember } from './compile-access.ts';
import { compileFunction, compileIteration, compileMethod, compilePatternCall } from './compile-call.ts';
import { type Compilation, compileArguments, type Evaluate, shortCircuit } from './evaluate.ts';

/** Prepares to turn expressions of one source into closures, each of them once. */
export function createCompilation(source: string): Compilation {
  const compiled = new Map<Expr, Evaluate>();
  const compilation: Compilation = {
    source,
    compile(expr) {
      const cached = compiled.get(expr);
      if (cached !== undefined) return cached;
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
      return (scope: AnyScope) => scope[name];
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

type Compare = (left: unknown, right: unknown, run: Run) => boolean;

const comparisons: Readonly<Record<ComparisonOperator, Compare>> = {
  '===': strictlyEqual,
  '!==': (left, right, run) => !strictlyEqual(left, right, run),
  '==': looselyEqual,
  '!=': (left, right, run) => !looselyEqual(left, right, run),
  '<': (left, right, run) => ordered(left, right, run, (a, b) => a < b),
  '<=': (left, right, run) => ordered(left, right, run, (a, b) => a <= b),
  '>': (left, right, run) => ordered(left, right, run, (a, b) => a > b),
  '>=': (left, right, run) => ordered(left, right, run, (a, b) => a >= b),
};

/** Compiles a comparison; one with a literal on its right side gets its own, faster closure. */
function compileComparison({ compile }: Compilation, expr: ComparisonExpr): Evaluate {
  const left = compile(expr.left);
  if (expr.right.kind === 'literal') {
    const specialised = compareWithLiteral(expr.operator, left, expr.right.value);
    if (specialised !== undefined) return specialised;
  }
  const right = compile(expr.right);
  const compare = comparisons[expr.operator];
  return (scope, run) => compare(left(scope, run), right(scope, run), run);
}

function compareWithLiteral(operator: ComparisonOperator, left: Evaluate, literal: unknown): Evaluate | undefined {
  if (operator === '===') return (scope, run) => isLiteral(left(scope, run), literal);
  if (operator === '!==') return (scope, run) => !isLiteral(left(scope, run), literal);
  if (typeof literal !== 'number') return undefined;
  switch (operator) {
    case '<':
      return (scope, run) => asNumber(left(scope, run), run) < literal;
    case '<=':
      return (scope, run) => asNumber(left(scope, run), run) <= literal;
    case '>':
      return (scope, run) => asNumber(left(scope, run), run) > literal;
    case '>=':
      return (scope, run) => asNumber(left(scope, run), run) >= literal;
    default:
      return undefined;
  }
}

/** A number that cannot hold its digits equals the text that keeps them. */
function isLiteral(value: unknown, literal: unknown): boolean {
  return value === literal || isSameInteger(value, literal);
}

function asNumber(value: unknown, run: Run): number {
  return typeof value === 'number' ? value : toNumber(value, run);
}

function strictlyEqual(left: unknown, right: unknown, run: Run): boolean {
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length !== right.length) return false;
    spendScan(run, left.length);
  }
  return isLiteral(left, right);
}

function ordered(
  left: unknown,
  right: unknown,
  run: Run,
  compare: (a: number | string, b: number | string) => boolean,
): boolean {
  const a = toPrimitive(left, run);
  const b = toPrimitive(right, run);
  if (typeof a !== 'string' || typeof b !== 'string') return compare(Number(a), Number(b));
  spendScan(run, Math.min(a.length, b.length));
  return compare(a, b);
}

const numeric: Readonly<Record<Exclude<ArithmeticOperator, '+'>, (a: number, b: number) => number>> = {
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '**': (a, b) => a ** b,
};

/** Compiles arithmetic on two operands. */
function compileArithmetic({ compile }: Compilation, expr: Expr & { kind: 'arithmetic' }): Evaluate {
  const left = compile(expr.left);
  const right = compile(expr.right);
  if (expr.operator === '+') return (scope, run) => add(left(scope, run), right(scope, run), run);
  const compute = numeric[expr.operator];
  return (scope, run) => compute(asNumber(left(scope, run), run), asNumber(right(scope, run), run));
}

function add(left: unknown, right: unknown, run: Run): number | string {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  const a = toPrimitive(left, run);
  const b = toPrimitive(right, run);
  if (typeof a !== 'string' && typeof b !== 'string') return Number(a) + Number(b);
  return joinTwo(String(a), String(b), run);
}

/** Compiles a unary operator. */
function compileUnary({ compile }: Compilation, operator: UnaryOperator, expr: Expr): Evaluate {
  const operand = compile(expr);
  switch (operator) {
    case '!':
      return (scope, run) => !operand(scope, run);
    case '-':
      return (scope, run) => -asNumber(operand(scope, run), run);
    case '+':
      return (scope, run) => asNumber(operand(scope, run), run);
    case 'typeof':
      return (scope, run) => typeof operand(scope, run);
  }
}
