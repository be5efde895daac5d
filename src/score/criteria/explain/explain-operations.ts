import type { BinaryExpression, Expression } from 'acorn';
import { isRecord } from '../../../shared/json.ts';
import { nearestName } from '../../../shared/suggest.ts';
import type { Call } from '../compile/compilation.ts';
import { Obstacle } from '../criterion-error.ts';
import type { Invoke } from '../library/iterations.ts';
import { sidesOf, writtenKey } from '../syntax.ts';
import { countOf, describeBeside, describeValue } from '../values.ts';
import { bareFact, type Explaining, type Fact, isWritten, nameOperand, stateSubject } from './explaining.ts';

const mirrored: Readonly<Record<string, string>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '==': '==',
  '!=': '!=',
  '===': '===',
  '!==': '!==',
};

export function isComparison({ operator }: BinaryExpression): boolean {
  return Object.hasOwn(mirrored, operator);
}

/** Explains a comparison: `result.affectedRows is 13, which is > 0`. */
export function explainComparison(explaining: Explaining, node: BinaryExpression, value: boolean): Fact {
  const [first, second] = sidesOf(node);
  const swap = isWritten(explaining, first) && !isWritten(explaining, second);
  const [left, right] = swap ? [second, first] : [first, second];
  const operator = swap ? mirrored[node.operator] : node.operator;
  switch (operator) {
    case '===':
    case '==':
      return explainEquality(explaining, left, right, value, true);
    case '!==':
    case '!=':
      return explainEquality(explaining, left, right, !value, false);
    default: {
      const relation = `which is ${value ? '' : 'not '}${operator} ${nameOperand(explaining, right)}`;
      return { text: `${stateSubject(explaining, left)}, ${relation}`, settled: true };
    }
  }
}

function explainEquality(
  explaining: Explaining,
  left: Expression,
  right: Expression,
  equal: boolean,
  wanted: boolean,
): Fact {
  const { literals } = explaining.compilation;
  const asksForUndefined = literals.has(right) && literals.get(right) === undefined;
  if (!equal && wanted && asksForUndefined && explaining.role === 'fail') {
    return { text: `${explaining.textOf(left)} is defined`, settled: true };
  }
  if (!equal) return { text: explainDifference(explaining, left, right), settled: true };
  const subject = stateSubject(explaining, left);
  if (isWritten(explaining, right)) return { text: subject, settled: false };
  return { text: `${subject}, the same as ${explaining.textOf(right)}`, settled: true };
}

/** `result.total is 42, not 41`. */
function explainDifference(explaining: Explaining, left: Expression, right: Expression): string {
  const [one, other] = [explaining.valueOf(left), explaining.valueOf(right)];
  const subject = stateSubject(explaining, left, (value) => describeBeside(value, other));
  const meant = one === undefined ? meantMember(explaining, left) : undefined;
  const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `${subject}, not ${nameOther(explaining, left, right, one)}${suggestion}`;
}

/** `result.count` for `result.cout` of an object that has the one and not the other. */
function meantMember(explaining: Explaining, left: Expression): string | undefined {
  if (left.type !== 'MemberExpression' || left.object.type === 'Super') return undefined;
  const key = writtenKey(left);
  const holder = explaining.valueOf(left.object);
  if (key === undefined || !isRecord(holder) || Object.hasOwn(holder, key)) return undefined;
  const nearest = nearestName(key, Object.keys(holder));
  return nearest === undefined ? undefined : `${explaining.textOf(left.object)}.${nearest}`;
}

function nameOther(explaining: Explaining, left: Expression, right: Expression, beside: unknown): string {
  const { literals } = explaining.compilation;
  if (left.type !== 'UnaryExpression' || left.operator !== 'typeof' || !literals.has(right))
    return nameOperand(explaining, right, (value) => describeBeside(value, beside));
  const type = literals.get(right);
  if (typeof type !== 'string') return describeValue(type);
  if (type === 'undefined') return type;
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

/** Explains one item's part in an answer, given the callback's body and whether the item passed. */
type ExplainItem = (explaining: Explaining, body: Expression, value: boolean) => Fact;

/** Explains `every` and `some` by counting the items and showing the first that decided. */
export function explainIteration(
  explaining: Explaining,
  node: Expression,
  { name, receiver, callback }: Call & { kind: 'iteration' },
  value: boolean,
  explainItem: ExplainItem,
): Fact {
  const items = explaining.valueOf(receiver);
  const { invoke, body } = callback;
  if (!Array.isArray(items) || invoke === undefined) return bareFact(explaining.compilation, node, value);
  const predicate = explaining.textOf(body ?? callback);
  const passing = items.filter((_, index) => passes(explaining, invoke, items, index)).length;
  const settled = true;
  if (items.length === 0) return { text: `${explaining.textOf(receiver)} has no items to ask ${predicate}`, settled };
  if (passing === items.length) return { text: `${allOf(items.length)} ${predicate}`, settled };
  if (passing === 0 && name === 'some') {
    return { text: `none of ${countOf(items.length, 'item')} passes ${predicate}`, settled };
  }
  const description = name === 'some' ? passing : items.length - passing;
  const verb = `${name === 'some' ? 'pass' : 'fail'}${description === 1 ? (name === 'some' ? 'es' : 's') : ''}`;
  const text = `${description} of ${countOf(items.length, 'item')} ${verb} ${predicate}`;
  const deciding = items.findIndex((_, index) => passes(explaining, invoke, items, index) === value);
  if (!body) return { text, settled };
  return { text: `${text}: in item ${deciding}, ${stateItem(explaining, body, value, explainItem)}`, settled };
}

function allOf(count: number): string {
  return count === 1 ? 'the only item passes' : `all ${count} items pass`;
}

/** Asks about one item; it leaves the callback's parameters bound to that item. */
function passes({ scope, run }: Explaining, invoke: Invoke, items: unknown[], index: number): boolean {
  try {
    return Boolean(invoke(scope, run, items[index], index, items, undefined));
  } catch (error) {
    if (error instanceof Obstacle) return false;
    throw error;
  }
}

/** The predicate has been shown already, so a comparison is explained by its operands alone. */
function stateItem(explaining: Explaining, body: Expression, value: boolean, explainItem: ExplainItem): string {
  if (body.type !== 'BinaryExpression' || !isComparison(body)) return explainItem(explaining, body, value).text;
  const operands = sidesOf(body).filter((operand) => !isWritten(explaining, operand));
  return operands.map((operand) => stateSubject(explaining, operand)).join(' and ');
}
