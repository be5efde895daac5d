import type { BinaryExpression, Expression, LogicalExpression, MemberExpression, Node, SpreadElement } from 'acorn';

/** Where a node stands in the source: character offsets, end excluded. */
export type Span = Pick<Node, 'start' | 'end'>;

/** A value written in the criterion itself. */
export type LiteralValue = undefined | null | boolean | number | string;

/** One argument of a call or element of an array literal. */
export type Argument = Expression | SpreadElement;

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The name of the property that a node reads, where the source says it: `.name` or `['name']`. */
export function writtenKey({ property, computed }: MemberExpression): string | undefined {
  if (!computed && property.type === 'Identifier') return property.name;
  return property.type === 'Literal' && typeof property.value === 'string' ? property.value : undefined;
}

/** Both sides of an operator; a private name on the left is refused before anything is compiled. */
export function sidesOf({ left, right }: BinaryExpression): [Expression, Expression] {
  return [left as Expression, right];
}

/** A chain such as `a && b && c` is nested to the left: as one list, however long it is. */
export function operandsOf({ operator, left, right }: LogicalExpression): Expression[] {
  const operands = [right];
  let rest = left;
  while (rest.type === 'LogicalExpression' && rest.operator === operator) {
    operands.push(rest.right);
    rest = rest.left;
  }
  return [...operands, rest].reverse();
}
