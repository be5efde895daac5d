import { shorten } from '../../../shared/text.ts';
import { createRun, type EvaluationLimits, Overrun } from '../budget.ts';
import type { Compilation } from '../compile/evaluate.ts';
import { Obstacle } from '../criterion-error.ts';
import {
  type Argument,
  type CriteriaScope,
  type Expr,
  type FunctionExpr,
  type LogicalExpr,
  type MethodExpr,
  partsOf,
} from '../syntax.ts';
import { countOf, describeType, describeValue } from '../values.ts';
import { explainComparison, explainIteration } from './explain-operations.ts';
import {
  bareFact,
  type CriterionRole,
  createExplaining,
  type Explaining,
  type Fact,
  nameOperand,
  stateSubject,
} from './explaining.ts';

const maxExplanationLength = 500;

interface Answered {
  compilation: Compilation;
  expr: Expr;
  slotCount: number;
  scope: CriteriaScope;
  value: boolean;
  role: CriterionRole;
  limits: EvaluationLimits;
}

/** Puts the answer of a criterion into words, from the values of its parts. */
export function explainAnswer(answered: Answered): string {
  const { value, role } = answered;
  const { text, settled } = explainWithinLimits(answered);
  if (role === 'fail') return withEnding(text, value ? ' (bad)' : ' (good)');
  return withEnding(text, settled ? '' : value ? ', criterion met' : ', criterion not met');
}

function explainWithinLimits({ compilation, expr, slotCount, scope, value, role, limits }: Answered): Fact {
  const run = createRun(slotCount, limits);
  try {
    return explainFact(createExplaining(compilation, scope, run, role, limits), expr, value);
  } catch (error) {
    // Explaining looks at more items than the evaluation did, so it can meet what that did not.
    if (error instanceof Overrun || error instanceof Obstacle) return bareFact(compilation.source, expr, value);
    throw error;
  }
}

/** Puts an answer that the data could not give into words. */
export function explainObstacle({ explanation }: Obstacle, role: CriterionRole): string {
  return withEnding(explanation, role === 'fail' ? ' (good)' : '');
}

function withEnding(text: string, ending: string): string {
  return `${shorten(text, maxExplanationLength - ending.length)}${ending}`;
}

/** Says in words why a condition has the value it has. */
function explainFact(explaining: Explaining, expr: Expr, value: boolean): Fact {
  switch (expr.kind) {
    case 'comparison':
      return explainComparison(explaining, expr, value);
    case 'logical':
      return expr.operator === '??' ? fallback(explaining, expr, value) : explainLogical(explaining, expr, value);
    case 'unary':
      return expr.operator === '!' ? explainFact(explaining, expr.operand, !value) : fallback(explaining, expr, value);
    case 'method':
      return explainMethod(explaining, expr, value);
    case 'pattern':
      if (expr.name !== 'test') return fallback(explaining, expr, value);
      return explainTextTest(explaining, expr.receiver, ['matches', 'does not match'], expr.pattern.source, value);
    case 'iteration':
      if (expr.name !== 'every' && expr.name !== 'some') return fallback(explaining, expr, value);
      return explainIteration(explaining, expr, value, explainFact);
    case 'function':
      return explainFunction(explaining, expr, value);
    case 'in':
      return explainPresence(explaining, expr.object, expr.key, value);
    case 'conditional': {
      const holds = Boolean(explaining.valueOf(expr.test));
      const branch = explainFact(explaining, holds ? expr.consequent : expr.alternate, value);
      return { text: `${explainFact(explaining, expr.test, holds).text}, so ${branch.text}`, settled: branch.settled };
    }
    case 'chain':
      return explainFact(explaining, expr.expression, value);
    case 'member':
    case 'index':
    case 'root':
    case 'parameter':
      return { text: stateSubject(explaining, expr), settled: false };
    default:
      return fallback(explaining, expr, value);
  }
}

const maxShownOperands = 3;

/** Shows the operands that were looked at; of many, only the one that decided. */
function explainLogical(explaining: Explaining, { operator, operands }: LogicalExpr, value: boolean): Fact {
  const facts: Fact[] = [];
  const decidingValue = operator === '||';
  for (const operand of operands) {
    const holds = Boolean(explaining.valueOf(operand));
    facts.push(explainFact(explaining, operand, holds));
    if (holds === decidingValue) break;
  }
  const decided = value === decidingValue;
  const description = decided && (operator === '||' || facts.length > maxShownOperands) ? facts.slice(-1) : facts;
  return { text: description.map(({ text }) => text).join(', and '), settled: description.at(-1)?.settled ?? true };
}

const textTests: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['includes', ['contains', 'does not contain']],
  ['startsWith', ['starts with', 'does not start with']],
  ['endsWith', ['ends with', 'does not end with']],
]);

function explainMethod(explaining: Explaining, expr: MethodExpr, value: boolean): Fact {
  const argument = onlyExpr(expr.args);
  if (argument === undefined) return fallback(explaining, expr, value);
  if (expr.name === 'hasOwnProperty') return explainPresence(explaining, expr.receiver, argument, value);
  const verbs = textTests.get(expr.name);
  if (verbs === undefined) return fallback(explaining, expr, value);
  return explainTextTest(explaining, expr.receiver, verbs, nameOperand(explaining, argument), value);
}

function explainTextTest(
  explaining: Explaining,
  receiver: Expr,
  [affirmative, negative]: readonly [string, string],
  what: string,
  value: boolean,
): Fact {
  const subject = explaining.textOf(receiver);
  if (value) return { text: `${subject} ${affirmative} ${what}`, settled: true };
  const held = explaining.valueOf(receiver);
  if (!Array.isArray(held)) {
    return { text: `${subject} is ${describeValue(held)}, which ${negative} ${what}`, settled: true };
  }
  return { text: `${subject} has ${countOf(held.length, 'item')} and ${negative} ${what}`, settled: true };
}

function explainPresence(explaining: Explaining, object: Expr, key: Expr, value: boolean): Fact {
  const text = `${explaining.textOf(object)} ${value ? 'has' : 'does not have'} ${nameOperand(explaining, key)}`;
  return { text, settled: true };
}

const typeTests: ReadonlyMap<string, string> = new Map([
  ['Array.isArray', 'an array'],
  ['Number.isInteger', 'an integer'],
  ['Number.isSafeInteger', 'a safe integer'],
  ['Number.isFinite', 'a finite number'],
  ['Number.isNaN', 'NaN'],
]);

function explainFunction(explaining: Explaining, expr: FunctionExpr, value: boolean): Fact {
  const [first, second] = expr.args;
  const argument = onlyExpr(expr.args);
  if (expr.name === 'Object.hasOwn' && first && second && first.kind !== 'spread' && second.kind !== 'spread') {
    return explainPresence(explaining, first, second, value);
  }
  if (argument === undefined) return fallback(explaining, expr, value);
  if (expr.name === 'Boolean') return explainFact(explaining, argument, value);
  const type = typeTests.get(expr.name);
  if (type === undefined) return fallback(explaining, expr, value);
  const held = explaining.valueOf(argument);
  if (!value) return { text: `${explaining.textOf(argument)} is ${describeValue(held)}, not ${type}`, settled: true };
  const description = describeType(held) === type ? type : describeValue(held);
  return { text: `${explaining.textOf(argument)} is ${description}`, settled: false };
}

function onlyExpr(args: readonly Argument[]): Expr | undefined {
  const [only] = args;
  return args.length === 1 && only?.kind !== 'spread' ? only : undefined;
}

const maxShownPaths = 3;

/** Quotes the condition and shows the data it speaks of. */
function fallback(explaining: Explaining, expr: Expr, value: boolean): Fact {
  const paths = new Map(pathsIn(expr).map((path) => [explaining.textOf(path), path]));
  const description = [...paths.values()].slice(0, maxShownPaths).map((path) => stateSubject(explaining, path));
  const { text } = bareFact(explaining.compilation.source, expr, value);
  return { text: description.length === 0 ? text : `${text}, where ${description.join(' and ')}`, settled: true };
}

/** Finds the longest property paths, leaving out callbacks, whose parameters have no value here. */
function pathsIn(expr: Expr): Expr[] {
  if (isPath(expr)) return [expr];
  return (expr.kind === 'iteration' ? [expr.receiver] : partsOf(expr)).flatMap(pathsIn);
}

function isPath(expr: Expr): boolean {
  return expr.kind === 'root' || (expr.kind === 'member' && isPath(expr.object));
}
