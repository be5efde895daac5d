import type { Expression, Node } from 'acorn';
import { CriterionError } from './criterion-error.ts';
import type { Expr } from './syntax.ts';

/** What the steps from JavaScript's syntax tree to the language's own share. */
export interface Lowering {
  readonly source: string;
  /** The names bound by the arrow functions around the current node, with their slots. */
  readonly bound: ReadonlyMap<string, number>;
  lower(node: Expression): Expr;
  /** Lowers a node with more names bound. */
  lowerWithin(node: Expression, bound: ReadonlyMap<string, number>): Expr;
  newSlot(): number;
}

/** Ends the compilation with a defect at a place in the source. */
export function refuse(source: string, offset: number, message: string, hint?: string): never {
  const column = offset + 1;
  throw new CriterionError({ criterion: source, message, column, ...(hint === undefined ? {} : { hint }) });
}

/** Ends the compilation because a node is outside the language. */
export function refuseOutside(lowering: Lowering, node: Node, what: string, hint?: string): never {
  return refuse(lowering.source, node.start, `${what} is not part of the criteria language`, hint);
}
