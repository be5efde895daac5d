import { describeValue } from './describe-value.ts';
import { type Explaining, type Fact, isWritten, nameOperand, stateSubject } from './explaining.ts';
import type { ComparisonExpr, ComparisonOperator, Expr } from './syntax.ts';

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
  const subject = stateSubject(explaining, left);
  if (!equal) return { text: `${subject}, not ${nameOther(explaining, left, right)}`, settled: true };
  if (isWritten(right)) return { text: subject, settled: false };
  return { text: `${subject}, the same as ${explaining.textOf(right)}`, settled: true };
}

function nameOther(explaining: Explaining, left: Expr, right: Expr): string {
  if (left.kind !== 'unary' || left.operator !== 'typeof' || right.kind !== 'literal')
    return nameOperand(explaining, right);
  if (typeof right.value !== 'string') return describeValue(right.value);
  if (right.value === 'undefined') return right.value;
  return `${/^[aeiou]/.test(right.value) ? 'an' : 'a'} ${right.value}`;
}
