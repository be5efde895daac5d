import type {
  BinaryExpression,
  Expression,
  Identifier,
  Literal,
  LogicalExpression,
  MemberExpression,
  ObjectExpression,
  UnaryExpression,
} from 'acorn';
import { didYouMean } from '../../../shared/suggest.ts';
import { maxExpressionDepth } from '../budget.ts';
import { constants, functions } from '../library/functions.ts';
import type { Expr, LiteralValue, ObjectEntry, RootName } from '../syntax.ts';
import { lowerArgument, lowerCall, namespaceName, namespaces } from './lower-call.ts';
import { type Lowering, refusalOfNode, refuse, refuseOutside } from './lowering.ts';

/** A criterion's tree in the closed language, and how many values its callbacks bind. */
export interface LoweredSource {
  expr: Expr;
  slotCount: number;
}

/** Turns JavaScript's syntax tree into the closed language, refusing whatever is not in it. */
export function lowerSource(source: string, root: Expression, roots: readonly RootName[]): LoweredSource {
  let slotCount = 0;
  let depth = 0;
  const withBound = (bound: ReadonlyMap<string, number>): Lowering => {
    const lowering: Lowering = {
      source,
      roots,
      bound,
      newSlot: () => slotCount++,
      lowerWithin: (node, inner) => withBound(inner).lower(node),
      lower(node) {
        if (depth >= maxExpressionDepth) return refuse(source, node.start, 'the expression is nested too deeply');
        depth += 1;
        const expr = lowerNode(lowering, node);
        depth -= 1;
        return expr;
      },
    };
    return lowering;
  };
  const expr = withBound(new Map()).lower(root);
  return { expr, slotCount };
}

function lowerNode(lowering: Lowering, node: Expression): Expr {
  const { start, end } = node;
  switch (node.type) {
    case 'Literal':
      return { kind: 'literal', value: literalValue(lowering, node), start, end };
    case 'Identifier':
      return lowerIdentifier(lowering, node);
    case 'MemberExpression':
      return lowerMember(lowering, node);
    case 'ChainExpression':
      return { kind: 'chain', expression: lowering.lower(node.expression), start, end };
    case 'ParenthesizedExpression':
      return lowering.lower(node.expression);
    case 'CallExpression':
      return lowerCall(lowering, node);
    case 'UnaryExpression':
      return lowerUnary(lowering, node);
    case 'BinaryExpression':
      return lowerBinary(lowering, node);
    case 'LogicalExpression':
      return { kind: 'logical', operator: node.operator, operands: lowerOperands(lowering, node), start, end };
    case 'ConditionalExpression': {
      const test = lowering.lower(node.test);
      const consequent = lowering.lower(node.consequent);
      return { kind: 'conditional', test, consequent, alternate: lowering.lower(node.alternate), start, end };
    }
    case 'TemplateLiteral': {
      const texts = node.quasis.map(({ value }) => value.cooked ?? '');
      return { kind: 'template', texts, parts: node.expressions.map(lowering.lower), start, end };
    }
    case 'ArrayExpression': {
      const elements = node.elements.map((element) =>
        element === null ? refuseOutside(lowering, node, 'an array with holes') : lowerArgument(lowering, element),
      );
      return { kind: 'array', elements, start, end };
    }
    case 'ObjectExpression':
      return { kind: 'object', entries: lowerEntries(lowering, node), start, end };
    default: {
      const { what, hint } = refusalOfNode(node.type);
      return refuseOutside(lowering, node, what, hint);
    }
  }
}

function literalValue(lowering: Lowering, { value, regex, bigint, start }: Literal): LiteralValue {
  if (bigint !== undefined) return refuse(lowering.source, start, 'a BigInt is not part of the criteria language');
  if (regex === undefined && !(value instanceof RegExp) && typeof value !== 'bigint') return value;
  const use = 'use it as `/…/.test(text)` or as the argument of `match`, `search`, `replace` or `split`';
  return refuse(lowering.source, start, 'a regular expression is not a value', use);
}

/** A chain such as `a && b && c` is nested to the left; it becomes one list, however long it is. */
function lowerOperands(lowering: Lowering, { operator, left, right }: LogicalExpression): Expr[] {
  const operands = [right];
  let rest = left;
  while (rest.type === 'LogicalExpression' && rest.operator === operator) {
    operands.push(rest.right);
    rest = rest.left;
  }
  return [...operands, rest].reverse().map(lowering.lower);
}

function lowerEntries(lowering: Lowering, node: ObjectExpression): ObjectEntry[] {
  return node.properties.map((property) => {
    const { start, end } = property;
    if (property.type === 'SpreadElement') {
      return { kind: 'spread', argument: lowering.lower(property.argument), start, end };
    }
    if (property.kind !== 'init') return refuseOutside(lowering, property, 'a getter or setter');
    if (property.method) return refuseOutside(lowering, property, 'a method definition');
    const { key } = property;
    const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : '';
    if (!property.computed && name === '__proto__') return refuseOutside(lowering, key, '`__proto__` in an object');
    const keyExpr: Expr = property.computed
      ? lowering.lower(key)
      : { kind: 'literal', value: name, start: key.start, end: key.end };
    return { kind: 'property', key: keyExpr, value: lowering.lower(property.value) };
  });
}

const namedLiterals: ReadonlyMap<string, LiteralValue> = new Map<string, LiteralValue>([
  ['undefined', undefined],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
]);

/** Lowers a name: a callback's parameter, a root, or a literal that is written as a name. */
function lowerIdentifier(lowering: Lowering, { name, start, end }: Identifier): Expr {
  const slot = lowering.bound.get(name);
  if (slot !== undefined) return { kind: 'parameter', name, slot, start, end };
  const root = lowering.roots.find((candidate) => candidate === name);
  if (root !== undefined) return { kind: 'root', name: root, start, end };
  if (namedLiterals.has(name)) return { kind: 'literal', value: namedLiterals.get(name), start, end };
  if (namespaces.has(name) || functions.has(name)) {
    return refuse(lowering.source, start, `\`${name}\` is not a value`, `call it, as in \`${exampleCall(name)}\``);
  }
  const available = [
    ...lowering.bound.keys(),
    ...lowering.roots,
    ...namedLiterals.keys(),
    ...namespaces,
    ...functions.keys(),
  ];
  const usable = lowering.roots.map((root) => `\`${root}\``);
  const roots = `a criterion can use ${usable.slice(0, -1).join(', ')} and ${usable.at(-1)}`;
  return refuse(lowering.source, start, `\`${name}\` is not defined`, didYouMean(name, available) ?? roots);
}

function exampleCall(name: string): string {
  if (functions.has(name)) return `${name}(result)`;
  const example = [...functions.keys()].find((candidate) => candidate.startsWith(`${name}.`));
  return `${example ?? name}(result)`;
}

/** Lowers `object.key`, `object[index]` and constants such as `Math.PI`. */
function lowerMember(lowering: Lowering, node: MemberExpression): Expr {
  const { property, computed, optional, start, end } = node;
  if (node.object.type === 'Super') return refuseOutside(lowering, node, '`super`');
  if (property.type === 'PrivateIdentifier') return refuseOutside(lowering, property, 'a private name');
  const namespace = namespaceName(lowering, node.object);
  if (namespace !== undefined) return lowerConstant(lowering, node, namespace);
  const object = lowering.lower(node.object);
  if (!computed && property.type === 'Identifier') {
    return { kind: 'member', object, key: property.name, optional, start, end };
  }
  const index = lowering.lower(property);
  if (index.kind === 'literal' && typeof index.value === 'string') {
    return { kind: 'member', object, key: index.value, optional, start, end };
  }
  return { kind: 'index', object, index, optional, start, end };
}

function lowerConstant(lowering: Lowering, { property, start, end }: MemberExpression, namespace: string): Expr {
  const name = property.type === 'Identifier' ? `${namespace}.${property.name}` : namespace;
  const value = constants.get(name);
  if (value !== undefined) return { kind: 'literal', value, start, end };
  if (functions.has(name)) {
    return refuse(lowering.source, start, `\`${name}\` is not a value`, `call it, as in \`${name}(result)\``);
  }
  return refuse(lowering.source, start, `\`${name}\` is not a known constant`, didYouMean(name, constants.keys()));
}

/** Lowers `!`, `-`, `+` and `typeof`. */
function lowerUnary(lowering: Lowering, node: UnaryExpression): Expr {
  const { operator, argument, start, end } = node;
  switch (operator) {
    case '!':
    case '-':
    case '+':
    case 'typeof':
      return { kind: 'unary', operator, operand: lowering.lower(argument), start, end };
    default:
      return refuseOutside(lowering, node, `\`${operator}\``);
  }
}

/** Lowers comparisons, arithmetic and `in`. */
function lowerBinary(lowering: Lowering, node: BinaryExpression): Expr {
  const { operator, left, right, start, end } = node;
  if (left.type === 'PrivateIdentifier') return refuseOutside(lowering, left, 'a private name');
  switch (operator) {
    case '==':
    case '!=':
    case '===':
    case '!==':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return { kind: 'comparison', operator, left: lowering.lower(left), right: lowering.lower(right), start, end };
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '**':
      return { kind: 'arithmetic', operator, left: lowering.lower(left), right: lowering.lower(right), start, end };
    case 'in':
      return { kind: 'in', key: lowering.lower(left), object: lowering.lower(right), start, end };
    default:
      return refuseOutside(
        lowering,
        node,
        `\`${operator}\``,
        operator === '&' || operator === '|' ? `use \`${operator}${operator}\`` : undefined,
      );
  }
}
