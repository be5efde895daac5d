import { shorten } from '../../../shared/text.ts';
import { type EvaluationLimits, type Run, refill } from '../budget.ts';
import { type Compilation, shortCircuit, textOf } from '../compile/evaluate.ts';
import type { CriteriaScope, Expr, Span } from '../syntax.ts';
import { countOf, describeType, describeValue } from '../values.ts';

/** Purpose of a criterion: a pass criterion should be met, a fail criterion should not. */
export type CriterionRole = 'pass' | 'fail';

/** A statement about the data; a settled one shows by itself whether the condition holds. */
export interface Fact {
  text: string;
  settled: boolean;
}

/** State shared by the parts of an explanation. */
export interface Explaining {
  readonly compilation: Compilation;
  readonly scope: CriteriaScope;
  readonly run: Run;
  readonly role: CriterionRole;
  textOf(span: Span): string;
  valueOf(expr: Expr): unknown;
}

const maxPartLength = 80;

/** Prepares to explain one answer. */
export function createExplaining(
  compilation: Compilation,
  scope: CriteriaScope,
  run: Run,
  role: CriterionRole,
  limits: EvaluationLimits,
): Explaining {
  return {
    compilation,
    scope,
    run,
    role,
    textOf: (span) => shortText(compilation.source, span),
    valueOf(expr) {
      refill(run, limits);
      const value = compilation.compile(expr)(scope, run);
      return value === shortCircuit ? undefined : value;
    },
  };
}

function shortText(source: string, span: Span): string {
  return shorten(textOf(source, span), maxPartLength);
}

/** The explanation that is left when nothing better can be said. */
export function bareFact(source: string, span: Span, value: boolean): Fact {
  return { text: `\`${shortText(source, span)}\` is ${value}`, settled: true };
}

/** Says what a part is: `result.dryRun is true`, `result.preview has 10 items`. */
export function stateSubject(explaining: Explaining, expr: Expr, describe = describeValue): string {
  if (expr.kind === 'chain') return stateSubject(explaining, expr.expression, describe);
  const value = explaining.valueOf(expr);
  if (expr.kind === 'member' && expr.key === 'length' && typeof value === 'number') {
    const counted = explaining.valueOf(expr.object);
    if (Array.isArray(counted)) return `${explaining.textOf(expr.object)} has ${countOf(value, 'item')}`;
    if (typeof counted === 'string') return `${explaining.textOf(expr.object)} has ${countOf(value, 'character')}`;
  }
  if (expr.kind === 'unary' && expr.operator === 'typeof') {
    return `${explaining.textOf(expr.operand)} is ${describeType(explaining.valueOf(expr.operand))}`;
  }
  return `${explaining.textOf(expr)} is ${describe(value)}`;
}

/** Names a value something is compared with: a literal as it is, anything else with its value beside it. */
export function nameOperand(explaining: Explaining, expr: Expr, describe = describeValue): string {
  const value = describe(explaining.valueOf(expr));
  return isWritten(expr) ? value : `${explaining.textOf(expr)} (${value})`;
}

/** Whether a value stands in the criterion itself. */
export function isWritten(expr: Expr): boolean {
  return expr.kind === 'literal' || (expr.kind === 'unary' && expr.operator !== 'typeof' && isWritten(expr.operand));
}
