import type { CallExpression, Expression, Literal, MemberExpression, SpreadElement, Super } from 'acorn';
import { didYouMean } from '../../shared/suggest.ts';
import { functions } from './functions.ts';
import { iterations } from './iterations.ts';
import { lowerCallback } from './lower-callback.ts';
import { type Lowering, refuse, refuseOutside } from './lowering.ts';
import { methodNames, patternMethodNames } from './methods.ts';
import { insteadOfMethod } from './outside-language.ts';
import { compilePattern, type Pattern } from './pattern.ts';
import { PatternError } from './pattern-dialect.ts';
import type { Argument, Callback, Expr } from './syntax.ts';

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

/** Gives the name of a namespace such as `Math`, unless an arrow function around it has bound the name anew. */
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
  if (!patternMethodNames.some((known) => known === name)) {
    refuse(lowering.source, literal.start, `\`${name}\` takes no regular expression`, 'use `/…/.test(text)`');
  }
  if ((name === 'matchAll' || name === 'replaceAll') && !pattern.global) {
    refuse(lowering.source, literal.start, `\`${name}\` needs the \`g\` flag`, `write \`${pattern.source}g\``);
  }
}
