import type {
  BinaryExpression,
  Expression,
  Identifier,
  Literal,
  LogicalExpression,
  MemberExpression,
  ObjectExpression,
  TemplateLiteral,
  UnaryExpression,
} from 'acorn';
import { isSameInteger } from '../../../shared/json-digits.ts';
import { didYouMean } from '../../../shared/suggest.ts';
import { type Run, spendScan, spendSize, spendSteps } from '../budget.ts';
import { Obstacle } from '../criterion-error.ts';
import { constants, functions } from '../library/functions.ts';
import { refusalOfNode, refuse, refuseOutside } from '../parse/refusals.ts';
import type { AnyScope } from '../scope.ts';
import { type LiteralValue, operandsOf, sidesOf, writtenKey } from '../syntax.ts';
import {
  type DataObject,
  describeValue,
  isDataObject,
  joinTwo,
  looselyEqual,
  readOwn,
  setOwn,
  toNumber,
  toPrimitive,
  toText,
} from '../values.ts';
import {
  type Compilation,
  compileArguments,
  type Evaluate,
  missingPart,
  namespaceName,
  namespaces,
  shortCircuit,
} from './compilation.ts';
import { compileCall } from './compile-call.ts';

/** Turns a node of JavaScript's syntax tree into a closure, and refuses whatever is not part of the closed language. */
export function compileNode(compilation: Compilation, node: Expression): Evaluate {
  switch (node.type) {
    case 'Literal':
      return compileLiteral(compilation, node, literalValue(compilation, node));
    case 'Identifier':
      return compileIdentifier(compilation, node);
    case 'MemberExpression':
      return compileMember(compilation, node);
    case 'ChainExpression': {
      // A short-circuit inside a chain makes the whole of it undefined.
      const evaluate = compilation.compile(node.expression);
      return (scope, run) => {
        const value = evaluate(scope, run);
        return value === shortCircuit ? undefined : value;
      };
    }
    case 'CallExpression':
      return compileCall(compilation, node);
    case 'UnaryExpression':
      return compileUnary(compilation, node);
    case 'BinaryExpression':
      return compileBinary(compilation, node);
    case 'LogicalExpression': {
      const join = logicalJoins[node.operator];
      return operandsOf(node).map(compilation.compile).reduce(join);
    }
    case 'ConditionalExpression': {
      const [test, consequent, alternate] = [node.test, node.consequent, node.alternate].map(compilation.compile);
      return (scope, run) => (test?.(scope, run) ? consequent?.(scope, run) : alternate?.(scope, run));
    }
    case 'TemplateLiteral':
      return compileTemplate(compilation, node);
    case 'ArrayExpression': {
      const items = node.elements.map((item) => item ?? refuseOutside(compilation, node, 'an array with holes'));
      const elements = compileArguments(compilation, items);
      return (scope, run) => {
        const list = elements(scope, run);
        spendSize(run, list.length);
        return list;
      };
    }
    case 'ObjectExpression':
      return compileObject(compilation, node);
    default: {
      const { what, hint } = refusalOfNode(node.type);
      return refuseOutside(compilation, node, what, hint);
    }
  }
}

function compileLiteral({ literals }: Compilation, node: Expression, value: LiteralValue): Evaluate {
  literals.set(node, value);
  return () => value;
}

function literalValue({ source }: Compilation, { value, regex, bigint, start }: Literal): LiteralValue {
  if (bigint !== undefined) return refuse(source, start, 'a BigInt is not part of the criteria language');
  if (regex === undefined && !(value instanceof RegExp) && typeof value !== 'bigint') return value;
  const use = 'use it as `/…/.test(text)` or as the argument of `match`, `search`, `replace` or `split`';
  return refuse(source, start, 'a regular expression is not a value', use);
}

const namedLiterals: ReadonlyMap<string, LiteralValue> = new Map<string, LiteralValue>([
  ['undefined', undefined],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
]);

/** Compiles a name: a callback's parameter, a root, or a literal that is written as a name. */
function compileIdentifier(compilation: Compilation, node: Identifier): Evaluate {
  const { source, bound, roots, rootNodes } = compilation;
  const { name, start } = node;
  const slot = bound.get(name);
  if (slot !== undefined) return (_scope, run) => run.slots[slot];
  const root = roots.find((candidate) => candidate === name);
  if (root !== undefined) {
    rootNodes.set(node, root);
    return (scope: AnyScope) => scope[root];
  }
  if (namedLiterals.has(name)) return compileLiteral(compilation, node, namedLiterals.get(name));
  if (namespaces.has(name) || functions.has(name))
    return refuse(source, start, `\`${name}\` is not a value`, `call it, as in \`${exampleCall(name)}\``);
  const available = [...bound.keys(), ...roots, ...namedLiterals.keys(), ...namespaces, ...functions.keys()];
  const usable = roots.map((one) => `\`${one}\``);
  const hint = `a criterion can use ${usable.slice(0, -1).join(', ')} and ${usable.at(-1)}`;
  const isResult = resultElsewhere.has(name) && usable.includes('`result`');
  const literal = literalsElsewhere.get(name);
  const meant = isResult ? 'the answer is `result`' : (literal ?? didYouMean(name, available) ?? hint);
  return refuse(source, start, `\`${name}\` is not defined`, meant);
}

/** Literals of Python. */
const literalsElsewhere: ReadonlyMap<string, string> = new Map([
  ['True', 'write `true`'],
  ['False', 'write `false`'],
  ['None', 'write `null`'],
]);

/** Names of the result in other programs. */
const resultElsewhere: ReadonlySet<string> = new Set(['output', 'response', 'answer', 'actual', 'res', 'value']);

function exampleCall(name: string): string {
  if (functions.has(name)) return `${name}(result)`;
  const example = [...functions.keys()].find((candidate) => candidate.startsWith(`${name}.`));
  return `${example ?? name}(result)`;
}

/** Compiles `object.key`, `object[index]` and constants such as `Math.PI`. */
function compileMember(compilation: Compilation, node: MemberExpression): Evaluate {
  if (node.object.type === 'Super') return refuseOutside(compilation, node, '`super`');
  const { property } = node;
  if (property.type === 'PrivateIdentifier') return refuseOutside(compilation, property, 'a private name');
  const namespace = namespaceName(compilation, node.object);
  if (namespace !== undefined) return compileConstant(compilation, node, namespace);
  const object = compilation.compile(node.object);
  const missing = missingPart(compilation, node.object, node, 'read');
  const key = writtenKey(node);
  const index = key === undefined ? compilation.compile(property) : undefined;
  return (scope, run) => {
    const value = object(scope, run);
    if (value === shortCircuit) return shortCircuit;
    if (value === undefined || value === null) {
      if (node.optional) return shortCircuit;
      throw missing(value);
    }
    return index ? readIndex(value, index(scope, run), run) : readOwn(value, key ?? '');
  };
}

function readIndex(value: unknown, index: unknown, run: Run): unknown {
  return readOwn(value, toText(index, run));
}

function compileConstant(compilation: Compilation, node: MemberExpression, namespace: string): Evaluate {
  const { source } = compilation;
  const { start } = node;
  const key = writtenKey(node);
  const name = key === undefined ? namespace : `${namespace}.${key}`;
  const value = constants.get(name);
  if (value !== undefined) return compileLiteral(compilation, node, value);
  if (functions.has(name))
    return refuse(source, start, `\`${name}\` is not a value`, `call it, as in \`${name}(result)\``);
  return refuse(source, start, `\`${name}\` is not a known constant`, didYouMean(name, constants.keys()));
}

const logicalJoins: Readonly<Record<LogicalExpression['operator'], (left: Evaluate, right: Evaluate) => Evaluate>> = {
  '&&': (left, right) => (scope, run) => left(scope, run) && right(scope, run),
  '||': (left, right) => (scope, run) => left(scope, run) || right(scope, run),
  '??': (left, right) => (scope, run) => left(scope, run) ?? right(scope, run),
};

function compileTemplate(compilation: Compilation, { quasis, expressions }: TemplateLiteral): Evaluate {
  const [start = '', ...texts] = quasis.map(({ value }) => value.cooked ?? '');
  const parts = expressions.map(compilation.compile);
  return (scope, run) => {
    let whole = start;
    parts.forEach((part, position) => {
      whole = joinTwo(whole, toText(part(scope, run), run), run) + (texts[position] ?? '');
    });
    return whole;
  };
}

function compileObject(compilation: Compilation, node: ObjectExpression): Evaluate {
  const entries = node.properties.map((property) => {
    if (property.type === 'SpreadElement') return { key: undefined, value: compilation.compile(property.argument) };
    if (property.kind !== 'init') return refuseOutside(compilation, property, 'a getter or setter');
    if (property.method) return refuseOutside(compilation, property, 'a method definition');
    const { key } = property;
    const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : '';
    if (!property.computed && name === '__proto__') refuseOutside(compilation, key, '`__proto__` in an object');
    return {
      key: property.computed ? compilation.compile(key) : () => name,
      value: compilation.compile(property.value),
    };
  });
  return (scope, run) => {
    const made: DataObject = {};
    for (const { key, value } of entries) {
      const given = value(scope, run);
      const added = key === undefined ? fieldsOf(given) : [[toText(key(scope, run), run), given] as const];
      spendSteps(run, added.length);
      spendSize(run, added.length);
      for (const [name, field] of added) setOwn(made, name, field);
    }
    return made;
  };
}

function fieldsOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** Compiles `!`, `-`, `+` and `typeof`. */
function compileUnary(compilation: Compilation, node: UnaryExpression): Evaluate {
  const apply = unaryOperators.get(node.operator);
  if (apply === undefined) return refuseOutside(compilation, node, `\`${node.operator}\``);
  const operand = compilation.compile(node.argument);
  return (scope, run) => apply(operand(scope, run), run);
}

const unaryOperators = new Map<string, (value: unknown, run: Run) => unknown>([
  ['!', (value) => !value],
  ['-', (value, run) => -toNumber(value, run)],
  ['+', toNumber],
  ['typeof', (value) => typeof value],
]);

/** Compiles comparisons, arithmetic and `in`. */
function compileBinary(compilation: Compilation, node: BinaryExpression): Evaluate {
  const { operator } = node;
  if (node.left.type === 'PrivateIdentifier') return refuseOutside(compilation, node.left, 'a private name');
  const compute = comparisons.get(operator) ?? arithmetic.get(operator);
  if (compute === undefined && operator !== 'in') {
    const hint = operator === '&' || operator === '|' ? `use \`${operator}${operator}\`` : undefined;
    return refuseOutside(compilation, node, `\`${operator}\``, hint);
  }
  const sides = sidesOf(node);
  const left = compilation.compile(sides[0]);
  const right = compilation.compile(sides[1]);
  if (compute !== undefined) return (scope, run) => compute(left(scope, run), right(scope, run), run);
  const text = compilation.textOf(node.right);
  return (scope, run) => {
    const name = toText(left(scope, run), run);
    const value = right(scope, run);
    // Own properties only.
    if (Array.isArray(value) || isDataObject(value)) return Object.hasOwn(value, name);
    throw new Obstacle(`${text} is ${describeValue(value)}, so nothing can be in it`);
  };
}

type Compute = (left: unknown, right: unknown, run: Run) => unknown;

const comparisons = new Map<string, Compute>([
  ['===', strictlyEqual],
  ['!==', (left, right, run) => !strictlyEqual(left, right, run)],
  ['==', looselyEqual],
  ['!=', (left, right, run) => !looselyEqual(left, right, run)],
  ['<', ordering((a, b) => a < b)],
  ['<=', ordering((a, b) => a <= b)],
  ['>', ordering((a, b) => a > b)],
  ['>=', ordering((a, b) => a >= b)],
]);

const arithmetic = new Map<string, Compute>([
  ['+', add],
  ['-', numeric((a, b) => a - b)],
  ['*', numeric((a, b) => a * b)],
  ['/', numeric((a, b) => a / b)],
  ['%', numeric((a, b) => a % b)],
  ['**', numeric((a, b) => a ** b)],
]);

function strictlyEqual(left: unknown, right: unknown, run: Run): boolean {
  if (typeof left === 'string' && typeof right === 'string') spendScan(run, Math.min(left.length, right.length));
  // A number that cannot hold its digits equals the text that keeps them.
  return left === right || isSameInteger(left, right);
}

function ordering(compare: (a: number | string, b: number | string) => boolean): Compute {
  return (left, right, run) => {
    const a = toPrimitive(left, run);
    const b = toPrimitive(right, run);
    if (typeof a !== 'string' || typeof b !== 'string') return compare(Number(a), Number(b));
    spendScan(run, Math.min(a.length, b.length));
    return compare(a, b);
  };
}

function numeric(compute: (a: number, b: number) => number): Compute {
  return (left, right, run) => compute(toNumber(left, run), toNumber(right, run));
}

function add(left: unknown, right: unknown, run: Run): number | string {
  const a = toPrimitive(left, run);
  const b = toPrimitive(right, run);
  if (typeof a !== 'string' && typeof b !== 'string') return Number(a) + Number(b);
  return joinTwo(String(a), String(b), run);
}
