import type { Expression, LogicalExpression, Node } from 'acorn';
import { shorten } from '../../../shared/text.ts';
import { createRun, type EvaluationLimits, Overrun } from '../budget.ts';
import type { Call, Compilation } from '../compile/compilation.ts';
import { Obstacle } from '../criterion-error.ts';
import type { CriteriaScope, CriterionRole } from '../scope.ts';
import { type Argument, operandsOf, sidesOf, writtenKey } from '../syntax.ts';
import { countOf, describeType, describeValue } from '../values.ts';
import { explainComparison, explainIteration, isComparison } from './explain-operations.ts';
import { bareFact, createExplaining, type Explaining, type Fact, nameOperand, stateSubject } from './explaining.ts';

const maxExplanationLength = 500;

interface Answered {
  compilation: Compilation;
  root: Expression;
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

function explainWithinLimits({ compilation, root, scope, value, role, limits }: Answered): Fact {
  const run = createRun(compilation.slotCount, limits);
  try {
    return explainFact(createExplaining(compilation, scope, run, role, limits), root, value);
  } catch (error) {
    // Explaining looks at more items than the evaluation did, so it can meet what that did not.
    if (error instanceof Overrun || error instanceof Obstacle) return bareFact(compilation, root, value);
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
function explainFact(explaining: Explaining, node: Expression, value: boolean): Fact {
  const call = explaining.compilation.calls.get(node);
  if (call) return explainCall(explaining, node, call, value);
  switch (node.type) {
    case 'LogicalExpression':
      return node.operator === '??' ? fallback(explaining, node, value) : explainLogical(explaining, node, value);
    case 'UnaryExpression':
      if (node.operator !== '!') return fallback(explaining, node, value);
      return explainFact(explaining, node.argument, !value);
    case 'BinaryExpression': {
      if (isComparison(node)) return explainComparison(explaining, node, value);
      const [key, object] = sidesOf(node);
      if (node.operator !== 'in') return fallback(explaining, node, value);
      return explainPresence(explaining, object, key, value);
    }
    case 'ConditionalExpression': {
      const holds = Boolean(explaining.valueOf(node.test));
      const branch = explainFact(explaining, holds ? node.consequent : node.alternate, value);
      return { text: `${explainFact(explaining, node.test, holds).text}, so ${branch.text}`, settled: branch.settled };
    }
    case 'ChainExpression':
      return explainFact(explaining, node.expression, value);
    case 'MemberExpression':
    case 'Identifier':
      if (explaining.compilation.literals.has(node)) return fallback(explaining, node, value);
      return { text: stateSubject(explaining, node), settled: false };
    default:
      return fallback(explaining, node, value);
  }
}

function explainCall(explaining: Explaining, node: Expression, call: Call, value: boolean): Fact {
  switch (call.kind) {
    case 'function':
      return explainFunction(explaining, node, call, value);
    case 'test':
      return explainTextTest(explaining, call.receiver, ['matches', 'does not match'], call.pattern.source, value);
    case 'iteration':
      if (call.name !== 'every' && call.name !== 'some') return fallback(explaining, node, value);
      return explainIteration(explaining, node, call, value, explainFact);
    case 'method': {
      const argument = onlyArgument(call.args);
      if (argument && call.name === 'hasOwnProperty')
        return explainPresence(explaining, call.receiver, argument, value);
      const verbs = textTests.get(call.name);
      if (!argument || !verbs) return fallback(explaining, node, value);
      return explainTextTest(explaining, call.receiver, verbs, nameOperand(explaining, argument), value);
    }
  }
}

const maxShownOperands = 3;

/** Shows the operands that were looked at; of many, only the one that decided. */
function explainLogical(explaining: Explaining, node: LogicalExpression, value: boolean): Fact {
  const { operator } = node;
  const facts: Fact[] = [];
  const decidingValue = operator === '||';
  for (const operand of operandsOf(node)) {
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

function explainTextTest(
  explaining: Explaining,
  receiver: Expression,
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

function explainPresence(explaining: Explaining, object: Expression, key: Expression, value: boolean): Fact {
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

function explainFunction(
  explaining: Explaining,
  node: Expression,
  { name, args }: Call & { kind: 'function' },
  value: boolean,
): Fact {
  const [first, second] = args;
  const argument = onlyArgument(args);
  if (
    name === 'Object.hasOwn' &&
    first &&
    second &&
    first.type !== 'SpreadElement' &&
    second.type !== 'SpreadElement'
  ) {
    return explainPresence(explaining, first, second, value);
  }
  if (argument === undefined) return fallback(explaining, node, value);
  if (name === 'Boolean') return explainFact(explaining, argument, value);
  const type = typeTests.get(name);
  if (type === undefined) return fallback(explaining, node, value);
  const held = explaining.valueOf(argument);
  if (!value) return { text: `${explaining.textOf(argument)} is ${describeValue(held)}, not ${type}`, settled: true };
  const description = describeType(held) === type ? type : describeValue(held);
  return { text: `${explaining.textOf(argument)} is ${description}`, settled: false };
}

function onlyArgument(args: readonly Argument[]): Expression | undefined {
  const [only] = args;
  return args.length === 1 && only?.type !== 'SpreadElement' ? only : undefined;
}

const maxShownPaths = 3;

/** Quotes the condition and shows the data it speaks of. */
function fallback(explaining: Explaining, node: Expression, value: boolean): Fact {
  const { compilation } = explaining;
  const paths = new Map(pathsIn(compilation, node).map((path) => [explaining.textOf(path), path]));
  const description = [...paths.values()].slice(0, maxShownPaths).map((path) => stateSubject(explaining, path));
  const { text } = bareFact(compilation, node, value);
  return { text: description.length === 0 ? text : `${text}, where ${description.join(' and ')}`, settled: true };
}

/** Finds the longest property paths, leaving out callbacks, whose parameters have no value here. */
function pathsIn(compilation: Compilation, node: Node): Expression[] {
  if (isPath(compilation, node)) return [node];
  const call = compilation.calls.get(node);
  const parts = call?.kind === 'iteration' ? [call.receiver] : compilation.partsOf(node);
  return parts.flatMap((part) => pathsIn(compilation, part));
}

function isPath(compilation: Compilation, node: Node): node is Expression {
  if (compilation.rootNodes.has(node)) return true;
  const member = node as Expression;
  if (member.type !== 'MemberExpression' || writtenKey(member) === undefined) return false;
  return isPath(compilation, member.object);
}
