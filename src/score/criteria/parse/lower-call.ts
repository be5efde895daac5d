import type {
  ArrowFunctionExpression,
  CallExpression,
  Expression,
  Literal,
  MemberExpression,
  Pattern as ParameterPattern,
  SpreadElement,
  Super,
} from 'acorn';
import { didYouMean } from '../../../shared/suggest.ts';
import { functions } from '../library/functions.ts';
import { iterations } from '../library/iterations.ts';
import { methodNames, patternMethodNames } from '../library/methods.ts';
import { compilePattern, type Pattern } from '../library/pattern.ts';
import { PatternError } from '../library/pattern-dialect.ts';
import { type Argument, type Binding, type Callback, type Expr, partsOf } from '../syntax.ts';
import { insteadOfMethod, type Lowering, refuse, refuseOutside } from './lowering.ts';

/** The names that stand for groups of functions and are no values themselves. */
export const namespaces: ReadonlySet<string> = new Set(['Array', 'Object', 'Math', 'JSON', 'Number', 'String']);

/** Lowers a call of a known function, of a method, of an array method with a callback, or of a regular expression. */
export function lowerCall(lowering: Lowering, node: CallExpression): Expr {
  const { callee, start, end } = node;
  if (callee.type === 'Identifier' && !lowering.bound.has(callee.name)) {
    return lowerFunction(lowering, node, callee.name);
  }
  if (callee.type !== 'MemberExpression') {
    return refuse(lowering.source, start, 'only methods and known functions can be called');
  }
  const name = methodName(lowering, callee);
  const namespace = namespaceName(lowering, callee.object);
  if (namespace !== undefined) return lowerFunction(lowering, node, `${namespace}.${name}`);
  if (callee.object.type === 'Super') return refuseOutside(lowering, callee, '`super`');
  if (callee.object.type === 'Literal' && callee.object.regex)
    return lowerPatternTest(lowering, node, callee.object, name);
  checkMethodName(lowering, callee, name);
  const receiver = lowering.lower(callee.object);
  const shared = { receiver, name, optional: callee.optional, optionalCall: node.optional, start, end };
  const [first, ...others] = node.arguments;
  const iteration = iterations.get(name);
  if (iteration !== undefined) {
    const callback = firstCallback(lowering, node, name, iteration.callback);
    return { kind: 'iteration', ...shared, callback, args: others.map((arg) => lowerArgument(lowering, arg)) };
  }
  if (first?.type === 'Literal' && first.regex) {
    const pattern = lowerPattern(lowering, first);
    checkPatternUse(lowering, name, first, pattern);
    return { kind: 'pattern', ...shared, pattern, args: others.map((arg) => lowerArgument(lowering, arg)) };
  }
  if (name === 'match' || name === 'matchAll' || name === 'search' || name === 'test') {
    return refuse(
      lowering.source,
      first?.start ?? start,
      `\`${name}\` needs a regular expression`,
      'such as `/text/i`',
    );
  }
  if (name === 'localeCompare' && others.length > 0) {
    return refuse(
      lowering.source,
      others[0]?.start ?? start,
      '`localeCompare` takes one text',
      'the locale is always English',
    );
  }
  return { kind: 'method', ...shared, args: node.arguments.map((arg) => lowerArgument(lowering, arg)) };
}

/** Lowers one argument of a call or element of an array literal. */
export function lowerArgument(lowering: Lowering, node: Expression | SpreadElement): Argument {
  if (node.type !== 'SpreadElement') return lowering.lower(node);
  return { kind: 'spread', argument: lowering.lower(node.argument), start: node.start, end: node.end };
}

/** Gives the name of a namespace such as `Math`, unless an arrow function around it has rebound the name. */
export function namespaceName(lowering: Lowering, node: Expression | Super): string | undefined {
  const isNamespace = node.type === 'Identifier' && namespaces.has(node.name) && !lowering.bound.has(node.name);
  return isNamespace ? node.name : undefined;
}

function methodName(lowering: Lowering, { property, computed }: MemberExpression): string {
  if (!computed && property.type === 'Identifier') return property.name;
  if (property.type === 'Literal' && typeof property.value === 'string') return property.value;
  return refuse(lowering.source, property.start, 'a method must be called by its name');
}

function lowerFunction(lowering: Lowering, node: CallExpression, name: string): Expr {
  const { start, end } = node;
  if (functions.has(name)) {
    return { kind: 'function', name, args: node.arguments.map((arg) => lowerArgument(lowering, arg)), start, end };
  }
  if (name === 'Math.random')
    return refuseOutside(lowering, node, '`Math.random`', 'criteria give the same answer every time');
  return refuse(lowering.source, start, `\`${name}\` is not a known function`, didYouMean(name, functions.keys()));
}

function checkMethodName(lowering: Lowering, { property }: MemberExpression, name: string): void {
  const instead = insteadOfMethod(name);
  if (instead !== undefined) refuseOutside(lowering, property, `\`${name}\``, instead);
  if (methodNames.has(name)) return;
  refuse(lowering.source, property.start, `\`${name}\` is not a known method`, didYouMean(name, methodNames));
}

function firstCallback(
  lowering: Lowering,
  node: CallExpression,
  name: string,
  need: 'required' | 'optional',
): Callback {
  const [first] = node.arguments;
  if (first === undefined && need === 'optional') return { kind: 'none', start: node.end, end: node.end };
  if (first === undefined || first.type === 'SpreadElement') {
    return refuse(lowering.source, node.start, `\`${name}\` needs an arrow function`, 'such as `item => item.ok`');
  }
  return lowerCallback(lowering, first, name);
}

function lowerPatternTest(lowering: Lowering, node: CallExpression, literal: Literal, name: string): Expr {
  const [text, ...rest] = node.arguments;
  const instead = name === 'exec' ? insteadOfMethod(name) : didYouMean(name, ['test']);
  if (name !== 'test') return refuseOutside(lowering, node, `\`${name}\` of a regular expression`, instead);
  if (text === undefined || text.type === 'SpreadElement' || rest.length > 0) {
    return refuse(lowering.source, node.start, '`test` takes one text');
  }
  const pattern = lowerPattern(lowering, literal);
  const { start, end } = node;
  const receiver = lowering.lower(text);
  return { kind: 'pattern', receiver, name, pattern, args: [], optional: false, optionalCall: false, start, end };
}

function lowerPattern(lowering: Lowering, literal: Literal): Pattern {
  try {
    return compilePattern(literal.regex?.pattern ?? '', literal.regex?.flags ?? '');
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return refuse(lowering.source, literal.start + error.offset, error.message);
  }
}

function checkPatternUse(lowering: Lowering, name: string, literal: Literal, pattern: Pattern): void {
  if (!patternMethodNames.some((available) => available === name)) {
    refuse(lowering.source, literal.start, `\`${name}\` takes no regular expression`, 'use `/…/.test(text)`');
  }
  if ((name === 'matchAll' || name === 'replaceAll') && !pattern.global) {
    refuse(lowering.source, literal.start, `\`${name}\` needs the \`g\` flag`, `write \`${pattern.source}g\``);
  }
}

/** Lowers the first argument of an array method: an arrow function or the name of a known function. */
function lowerCallback(lowering: Lowering, node: Expression, method: string): Callback {
  const { start, end } = node;
  if (node.type === 'ParenthesizedExpression') return lowerCallback(lowering, node.expression, method);
  if (node.type === 'ArrowFunctionExpression') return lowerArrow(lowering, node);
  const name = lowering.source.slice(start, end);
  const rootName = name.split('.')[0] ?? '';
  if (functions.has(name) && !lowering.bound.has(rootName)) return { kind: 'reference', name, start, end };
  if (node.type === 'FunctionExpression') return refuseOutside(lowering, node, '`function`', 'use an arrow function');
  return refuse(lowering.source, start, `\`${method}\` needs an arrow function`, 'such as `item => item.ok`');
}

function lowerArrow(lowering: Lowering, node: ArrowFunctionExpression): Callback {
  if (node.async) return refuseOutside(lowering, node, '`async`');
  if (node.body.type === 'BlockStatement') {
    return refuseOutside(lowering, node.body, 'a function body in braces', 'write `item => condition`');
  }
  const bound = new Map(lowering.bound);
  const bindings = node.params.map((parameter) => lowerBinding(lowering, parameter, bound));
  const body = lowering.lowerWithin(node.body, bound);
  return {
    kind: 'arrow',
    bindings,
    body,
    cost: 1 + bindings.length + countParts(body),
    start: node.start,
    end: node.end,
  };
}

function lowerBinding(lowering: Lowering, pattern: ParameterPattern, bound: Map<string, number>): Binding {
  const text = lowering.source.slice(pattern.start, pattern.end);
  switch (pattern.type) {
    case 'Identifier': {
      const slot = lowering.newSlot();
      bound.set(pattern.name, slot);
      return { kind: 'slot', slot };
    }
    case 'ObjectPattern': {
      const fields = pattern.properties.map((property) => {
        if (property.type === 'RestElement') return refuseOutside(lowering, property, 'a rest parameter');
        const key = fieldName(lowering, property.key, property.computed);
        return { key, target: lowerBinding(lowering, property.value, bound) };
      });
      return { kind: 'fields', text, fields };
    }
    case 'ArrayPattern': {
      const items = pattern.elements.map((element) => (element ? lowerBinding(lowering, element, bound) : undefined));
      return { kind: 'items', text, items };
    }
    case 'RestElement':
      return refuseOutside(lowering, pattern, 'a rest parameter');
    case 'AssignmentPattern':
      return refuseOutside(lowering, pattern, 'a default value');
    default:
      return refuseOutside(lowering, pattern, pattern.type);
  }
}

function fieldName(lowering: Lowering, key: Expression, computed: boolean): string {
  if (!computed && key.type === 'Identifier') return key.name;
  if (!computed && key.type === 'Literal') return String(key.value);
  return refuseOutside(lowering, key, 'a computed key in a parameter');
}

/** Counts the nodes of an expression, callbacks included, to charge for calling it. */
function countParts(expr: Expr): number {
  return partsOf(expr).reduce((count, part) => count + countParts(part), 1);
}
