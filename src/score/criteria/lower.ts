import type { Expression, Literal, LogicalExpression, ObjectExpression } from 'acorn';
import { maxExpressionDepth } from './budget.ts';
import { lowerIdentifier, lowerMember } from './lower-access.ts';
import { lowerArgument, lowerCall } from './lower-call.ts';
import { lowerBinary, lowerUnary } from './lower-operator.ts';
import { type Lowering, refuse, refuseOutside } from './lowering.ts';
import { refusalOfNode } from './outside-language.ts';
import type { Expr, LiteralValue, ObjectEntry } from './syntax.ts';

/** A criterion's tree in the closed language, and how many values its callbacks bind. */
export interface LoweredSource {
  expr: Expr;
  slotCount: number;
}

/** Turns JavaScript's syntax tree into the closed language, refusing whatever is not in it. */
export function lowerSource(source: string, root: Expression): LoweredSource {
  let slotCount = 0;
  let depth = 0;
  const withBound = (bound: ReadonlyMap<string, number>): Lowering => {
    const lowering: Lowering = {
      source,
      bound,
      newSlot: () => slotCount++,
      lowerWithin: (node, inner) => withBound(inner).lower(node),
      lower(node) {
        if (depth >= maxExpressionDepth) return refuse(source, node.start, 'the expression is nested too deeply');
        depth += 1;
        const expr = lowerNode(lowering, node);
        depth -= 1;
        return expr;
      },
    };
    return lowering;
  };
  const expr = withBound(new Map()).lower(root);
  return { expr, slotCount };
}

function lowerNode(lowering: Lowering, node: Expression): Expr {
  const { start, end } = node;
  switch (node.type) {
    case 'Literal':
      return { kind: 'literal', value: literalValue(lowering, node), start, end };
    case 'Identifier':
      return lowerIdentifier(lowering, node);
    case 'MemberExpression':
      return lowerMember(lowering, node);
    case 'ChainExpression':
      return { kind: 'chain', expression: lowering.lower(node.expression), start, end };
    case 'ParenthesizedExpression':
      return lowering.lower(node.expression);
    case 'CallExpression':
      return lowerCall(lowering, node);
    case 'UnaryExpression':
      return lowerUnary(lowering, node);
    case 'BinaryExpression':
      return lowerBinary(lowering, node);
    case 'LogicalExpression':
      return { kind: 'logical', operator: node.operator, operands: lowerOperands(lowering, node), start, end };
    case 'ConditionalExpression': {
      const test = lowering.lower(node.test);
      const consequent = lowering.lower(node.consequent);
      return { kind: 'conditional', test, consequent, alternate: lowering.lower(node.alternate), start, end };
    }
    case 'TemplateLiteral': {
      const texts = node.quasis.map(({ value }) => value.cooked ?? '');
      return { kind: 'template', texts, parts: node.expressions.map(lowering.lower), start, end };
    }
    case 'ArrayExpression': {
      const elements = node.elements.map((element) =>
        element === null ? refuseOutside(lowering, node, 'an array with holes') : lowerArgument(lowering, element),
      );
      return { kind: 'array', elements, start, end };
    }
    case 'ObjectExpression':
      return { kind: 'object', entries: lowerEntries(lowering, node), start, end };
    default: {
      const { what, hint } = refusalOfNode(node.type);
      return refuseOutside(lowering, node, what, hint);
    }
  }
}

function literalValue(lowering: Lowering, { value, regex, bigint, start }: Literal): LiteralValue {
  if (bigint !== undefined) return refuse(lowering.source, start, 'a BigInt is not part of the criteria language');
  if (regex === undefined && !(value instanceof RegExp) && typeof value !== 'bigint') return value;
  const use = 'use it as `/…/.test(text)` or as the argument of `match`, `search`, `replace` or `split`';
  return refuse(lowering.source, start, 'a regular expression is no value', use);
}

/** A chain such as `a && b && c` is nested to the left; it becomes one list, however long it is. */
function lowerOperands(lowering: Lowering, { operator, left, right }: LogicalExpression): Expr[] {
  const operands = [right];
  let rest = left;
  while (rest.type === 'LogicalExpression' && rest.operator === operator) {
    operands.push(rest.right);
    rest = rest.left;
  }
  return [...operands, rest].reverse().map(lowering.lower);
}

function lowerEntries(lowering: Lowering, node: ObjectExpression): ObjectEntry[] {
  return node.properties.map((property) => {
    const { start, end } = property;
    if (property.type === 'SpreadElement') {
      return { kind: 'spread', argument: lowering.lower(property.argument), start, end };
    }
    if (property.kind !== 'init') return refuseOutside(lowering, property, 'a getter or setter');
    if (property.method) return refuseOutside(lowering, property, 'a method definition');
    const { key } = property;
    const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : '';
    if (!property.computed && name === '__proto__') return refuseOutside(lowering, key, '`__proto__` in an object');
    const keyExpr: Expr = property.computed
      ? lowering.lower(key)
      : { kind: 'literal', value: name, start: key.start, end: key.end };
    return { kind: 'property', key: keyExpr, value: lowering.lower(property.value) };
  });
}
