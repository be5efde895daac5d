import type { BinaryExpression, Expression, LogicalExpression, MemberExpression, Node, SpreadElement } from 'acorn';

/** The data a criterion can see: JSON values, each absent when there is nothing to see. */
export interface CriteriaScope {
  result?: unknown;
  error?: unknown;
  input?: unknown;
  expected?: unknown;
}

/** The data that an expression over findings can see: those of other evaluators, by their names. */
export interface FindingsScope extends Pick<CriteriaScope, 'input' | 'expected'> {
  /** Whether each assertion passed. */
  results?: Readonly<Record<string, unknown>>;
  /** Scores of assertions that give one. */
  scores?: Readonly<Record<string, unknown>>;
  metrics?: Readonly<Record<string, unknown>>;
  /** Answer of the judge to each of its criteria. */
  judge?: Readonly<Record<string, unknown>>;
}

/** Everything that some expression can see. */
export type AnyScope = CriteriaScope & FindingsScope;

/** Name of a root variable of the language. */
export type RootName = keyof AnyScope;

/** The root variables of the language. */
export const rootNames: readonly RootName[] = ['result', 'error', 'input', 'expected'];

/** Those of expressions over findings. */
export const findingsRootNames: readonly RootName[] = ['results', 'scores', 'metrics', 'judge', 'input', 'expected'];

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
