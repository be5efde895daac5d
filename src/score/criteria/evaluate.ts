import type { Run } from './budget.ts';
import type { CallSite } from './obstacle.ts';
import type { CriteriaScope } from './scope.ts';
import type { Expr, Span } from './syntax.ts';

/** A compiled expression. */
export type Evaluate = (scope: CriteriaScope, run: Run) => unknown;

/** What the steps of compilation share. */
export interface Compilation {
  readonly source: string;
  compile(expr: Expr): Evaluate;
}

/** Marks an optional chain that ended early; it never leaves the chain. */
export const shortCircuit: unique symbol = Symbol('short circuit');

/** Gives the text of a node on one line, for explanations. */
export function textOf(source: string, { start, end }: Span): string {
  return source.slice(start, end).replace(/\s+/g, ' ');
}

/** Describes a call for the explanations of whatever goes wrong in it. */
export function siteOf(source: string, span: Span): CallSite {
  return { text: textOf(source, span) };
}
