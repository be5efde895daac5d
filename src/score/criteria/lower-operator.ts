import type { BinaryExpression, UnaryExpression } from 'acorn';
import { type Lowering, refuseOutside } from './lowering.ts';
import type { Expr } from './syntax.ts';

/** Lowers `!`, `-`, `+` and `typeof`. */
export function lowerUnary(lowering: Lowering, node: UnaryExpression): Expr {
  const { operator, argument, start, end } = node;
  switch (operator) {
    case '!':
    case '-':
    case '+':
    case 'typeof':
      return { kind: 'unary', operator, operand: lowering.lower(argument), start, end };
    default:
      return refuseOutside(lowering, node, `\`${operator}\``);
  }
}

/** Lowers comparisons, arithmetic and `in`. */
export function lowerBinary(lowering: Lowering, node: BinaryExpression): Expr {
  const { operator, left, right, start, end } = node;
  if (left.type === 'PrivateIdentifier') return refuseOutside(lowering, left, 'a private name');
  switch (operator) {
    case '==':
    case '!=':
    case '===':
    case '!==':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return { kind: 'comparison', operator, left: lowering.lower(left), right: lowering.lower(right), start, end };
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '**':
      return { kind: 'arithmetic', operator, left: lowering.lower(left), right: lowering.lower(right), start, end };
    case 'in':
      return { kind: 'in', key: lowering.lower(left), object: lowering.lower(right), start, end };
    default:
      return refuseOutside(
        lowering,
        node,
        `\`${operator}\``,
        operator === '&' || operator === '|' ? `use \`${operator}${operator}\`` : undefined,
      );
  }
}
