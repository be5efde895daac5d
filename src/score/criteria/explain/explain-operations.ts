import { compileCallback } from '../compile/compile-call.ts';
import { Obstacle } from '../criterion-error.ts';
import type { Invoke } from '../library/iterations.ts';
import type { ComparisonExpr, ComparisonOperator, Expr, IterationExpr } from '../syntax.ts';
import { countOf, describeBeside, describeValue } from '../values.ts';
import { bareFact, type Explaining, type Fact, isWritten, nameOperand, stateSubject } from './explaining.ts';

const mirrored: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '==': '==',
  '!=': '!=',
  '===': '===',
  '!==': '!==',
};

/** Explains a comparison: `result.affectedRows is 13, which is > 0`. */
export function explainComparison(explaining: Explaining, expr: ComparisonExpr, value: boolean): Fact {
  const swap = isWritten(expr.left) && !isWritten(expr.right);
  const [left, right] = swap ? [expr.right, expr.left] : [expr.left, expr.right];
  const operator = swap ? mirrored[expr.operator] : expr.operator;
  switch (operator) {
    case '===':
    case '==':
      return explainEquality(explaining, left, right, value, true);
    case '!==':
    case '!=':
      return explainEquality(explaining, left, right, !value, false);
    default: {
      const relation = `which is ${value ? '' : 'not '}${operator} ${nameOperand(explaining, right)}`;
      return { text: `${stateSubject(explaining, left)}, ${relation}`, settled: true };
    }
  }
}

function explainEquality(explaining: Explaining, left: Expr, right: Expr, equal: boolean, wanted: boolean): Fact {
  const asksForUndefined = right.kind === 'literal' && right.value === undefined;
  if (!equal && wanted && asksForUndefined && explaining.role === 'fail') {
    return { text: `${explaining.textOf(left)} is defined`, settled: true };
  }
  if (!equal) return { text: explainDifference(explaining, left, right), settled: true };
  const subject = stateSubject(explaining, left);
  if (isWritten(right)) return { text: subject, settled: false };
  return { text: `${subject}, the same as ${explaining.textOf(right)}`, settled: true };
}

/** `result.total is 42, not 41`. */
function explainDifference(explaining: Explaining, left: Expr, right: Expr): string {
  const [one, other] = [explaining.valueOf(left), explaining.valueOf(right)];
  const subject = stateSubject(explaining, left, (value) => describeBeside(value, other));
  return `${subject}, not ${nameOther(explaining, left, right, one)}`;
}

function nameOther(explaining: Explaining, left: Expr, right: Expr, beside: unknown): string {
  if (left.kind !== 'unary' || left.operator !== 'typeof' || right.kind !== 'literal')
    return nameOperand(explaining, right, (value) => describeBeside(value, beside));
  if (typeof right.value !== 'string') return describeValue(right.value);
  if (right.value === 'undefined') return right.value;
  return `${/^[aeiou]/.test(right.value) ? 'an' : 'a'} ${right.value}`;
}

/** Explains one item's part in an answer, given the callback's body and whether the item passed. */
type ExplainItem = (explaining: Explaining, body: Expr, value: boolean) => Fact;

/** Explains `every` and `some` by counting the items and showing the first that decided. */
export function explainIteration(
  explaining: Explaining,
  expr: IterationExpr,
  value: boolean,
  explainItem: ExplainItem,
): Fact {
  const items = explaining.valueOf(expr.receiver);
  const { callback } = expr;
  const invoke = compileCallback(explaining.compilation, callback);
  if (!Array.isArray(items) || invoke === undefined) return bareFact(explaining.compilation.source, expr, value);
  const predicate = explaining.textOf(callback.kind === 'arrow' ? callback.body : callback);
  const passing = items.filter((_, index) => passes(explaining, invoke, items, index)).length;
  const settled = true;
  if (items.length === 0)
    return { text: `${explaining.textOf(expr.receiver)} has no items to ask ${predicate}`, settled };
  if (passing === items.length) return { text: `${allOf(items.length)} ${predicate}`, settled };
  if (passing === 0 && expr.name === 'some') {
    return { text: `none of ${countOf(items.length, 'item')} passes ${predicate}`, settled };
  }
  const description = expr.name === 'some' ? passing : items.length - passing;
  const verb = `${expr.name === 'some' ? 'pass' : 'fail'}${description === 1 ? (expr.name === 'some' ? 'es' : 's') : ''}`;
  const text = `${description} of ${countOf(items.length, 'item')} ${verb} ${predicate}`;
  const deciding = items.findIndex((_, index) => passes(explaining, invoke, items, index) === value);
  if (callback.kind !== 'arrow') return { text, settled };
  return { text: `${text}: in item ${deciding}, ${stateItem(explaining, callback.body, value, explainItem)}`, settled };
}

function allOf(count: number): string {
  return count === 1 ? 'the only item passes' : `all ${count} items pass`;
}

/** Asks about one item; it leaves the callback's parameters bound to that item. */
function passes({ scope, run }: Explaining, invoke: Invoke, items: unknown[], index: number): boolean {
  try {
    return Boolean(invoke(scope, run, items[index], index, items, undefined));
  } catch (error) {
    if (error instanceof Obstacle) return false;
    throw error;
  }
}

/** The predicate has been shown already, so a comparison is explained by its operands alone. */
function stateItem(explaining: Explaining, body: Expr, value: boolean, explainItem: ExplainItem): string {
  if (body.kind !== 'comparison') return explainItem(explaining, body, value).text;
  const operands = [body.left, body.right].filter((operand) => !isWritten(operand));
  return operands.map((operand) => stateSubject(explaining, operand)).join(' and ');
}
