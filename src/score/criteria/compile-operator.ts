import { type Run, spendScan } from './budget.ts';
import type { Compilation, Evaluate } from './evaluate.ts';
import type { ArithmeticOperator, ComparisonExpr, ComparisonOperator, Expr, UnaryOperator } from './syntax.ts';
import { joinTwo, looselyEqual, toNumber, toPrimitive } from './values.ts';

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

/** Compiles a comparison; one with a literal on its right side gets a closure of its own. */
export function compileComparison({ compile }: Compilation, expr: ComparisonExpr): Evaluate {
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
  if (operator === '===') return (scope, run) => left(scope, run) === literal;
  if (operator === '!==') return (scope, run) => left(scope, run) !== literal;
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

function asNumber(value: unknown, run: Run): number {
  return typeof value === 'number' ? value : toNumber(value, run);
}

function strictlyEqual(left: unknown, right: unknown, run: Run): boolean {
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length !== right.length) return false;
    spendScan(run, left.length);
  }
  return left === right;
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
export function compileArithmetic({ compile }: Compilation, expr: Expr & { kind: 'arithmetic' }): Evaluate {
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
export function compileUnary({ compile }: Compilation, operator: UnaryOperator, expr: Expr): Evaluate {
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
