import type { Expression } from 'acorn';
import { shorten } from '../../../shared/text.ts';
import { type EvaluationLimits, type Run, refill } from '../budget.ts';
import { type Compilation, shortCircuit } from '../compile/compilation.ts';
import type { CriteriaScope, CriterionRole } from '../scope.ts';
import { type Span, writtenKey } from '../syntax.ts';
import { countOf, describeType, describeValue } from '../values.ts';

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
  valueOf(node: Expression): unknown;
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
    textOf: (span) => shortText(compilation, span),
    valueOf(node) {
      refill(run, limits);
      const value = compilation.compile(node)(scope, run);
      return value === shortCircuit ? undefined : value;
    },
  };
}

function shortText(compilation: Compilation, span: Span): string {
  return shorten(compilation.textOf(span), maxPartLength);
}

/** The explanation that is left when nothing better can be said. */
export function bareFact(compilation: Compilation, span: Span, value: boolean): Fact {
  return { text: `\`${shortText(compilation, span)}\` is ${value}`, settled: true };
}

/** Says what a part is: `result.dryRun is true`, `result.preview has 10 items`. */
export function stateSubject(explaining: Explaining, node: Expression, describe = describeValue): string {
  if (node.type === 'ChainExpression') return stateSubject(explaining, node.expression, describe);
  const value = explaining.valueOf(node);
  if (node.type === 'MemberExpression' && writtenKey(node) === 'length' && typeof value === 'number') {
    const holder = node.object as Expression;
    const counted = explaining.valueOf(holder);
    if (Array.isArray(counted)) return `${explaining.textOf(holder)} has ${countOf(value, 'item')}`;
    if (typeof counted === 'string') return `${explaining.textOf(holder)} has ${countOf(value, 'character')}`;
  }
  if (node.type === 'UnaryExpression' && node.operator === 'typeof') {
    return `${explaining.textOf(node.argument)} is ${describeType(explaining.valueOf(node.argument))}`;
  }
  return `${explaining.textOf(node)} is ${describe(value)}`;
}

/** Names a value something is compared with: a literal as it is, anything else with its value beside it. */
export function nameOperand(explaining: Explaining, node: Expression, describe = describeValue): string {
  const value = describe(explaining.valueOf(node));
  return isWritten(explaining, node) ? value : `${explaining.textOf(node)} (${value})`;
}

/** Whether a value stands in the criterion itself. */
export function isWritten(explaining: Explaining, node: Expression): boolean {
  if (explaining.compilation.literals.has(node)) return true;
  return node.type === 'UnaryExpression' && node.operator !== 'typeof' && isWritten(explaining, node.argument);
}
