import type { CallExpression, Expression, Literal, MemberExpression } from 'acorn';
import { didYouMean } from '../../../shared/suggest.ts';
import type { Run } from '../budget.ts';
import { Obstacle } from '../criterion-error.ts';
import { functions } from '../library/functions.ts';
import { iterations } from '../library/iterations.ts';
import { chooseMethod, methodNames, patternMethodNames } from '../library/methods.ts';
import { compilePattern, type Pattern } from '../library/pattern.ts';
import { PatternError } from '../library/pattern-dialect.ts';
import { patternMethods } from '../library/pattern-methods.ts';
import { insteadOfFunction, insteadOfMethod, refuse, refuseOutside } from '../parse/refusals.ts';
import type { CriteriaScope } from '../scope.ts';
import type { Argument } from '../syntax.ts';
import { describeType, describeValue, toText } from '../values.ts';
import {
  type Call,
  type Compilation,
  compileArguments,
  type Evaluate,
  missingPart,
  namespaceName,
  shortCircuit,
} from './compilation.ts';
import { compileCallback } from './compile-callback.ts';

/** Compiles a call of a known function, of a method, of an array method with a callback, or of a regular expression. */
export function compileCall(compilation: Compilation, node: CallExpression): Evaluate {
  const { source } = compilation;
  const { callee } = node;
  if (callee.type === 'Identifier' && !compilation.bound.has(callee.name))
    return compileFunction(compilation, node, callee.name);
  if (callee.type !== 'MemberExpression')
    return refuse(source, node.start, 'only methods and known functions can be called');
  const name = methodName(compilation, callee);
  const namespace = namespaceName(compilation, callee.object);
  if (namespace !== undefined) return compileFunction(compilation, node, `${namespace}.${name}`);
  if (callee.object.type === 'Super') return refuseOutside(compilation, callee, '`super`');
  if (isPattern(callee.object)) return compilePatternTest(compilation, node, callee.object, name);
  checkMethodName(compilation, callee, name);
  const method = { node, name, receiver: callee.object, optional: callee.optional };
  const [first, second] = node.arguments;
  if (iterations.has(name)) return compileIteration(compilation, method);
  if (isPattern(first)) return compilePatternMethod(compilation, method, first);
  if (name === 'match' || name === 'matchAll' || name === 'search' || name === 'test')
    return refuse(source, first?.start ?? node.start, `\`${name}\` needs a regular expression`, 'such as `/text/i`');
  if (name === 'localeCompare' && second)
    return refuse(source, second.start, '`localeCompare` takes one text', 'the locale is always English');
  const { has, call } = chooseMethod(name);
  const site = compilation.siteOf(node);
  const meaning = { kind: 'method', name, receiver: callee.object, args: node.arguments } as const;
  return compileMethod(compilation, { ...method, has }, meaning, (value, args, _scope, run) =>
    call(value, args, run, site),
  );
}

function isPattern(node: Argument | undefined): node is Literal {
  return node?.type === 'Literal' && node.regex !== undefined;
}

function methodName({ source }: Compilation, { property, computed }: MemberExpression): string {
  if (!computed && property.type === 'Identifier') return property.name;
  if (property.type === 'Literal' && typeof property.value === 'string') return property.value;
  return refuse(source, property.start, 'a method must be called by its name');
}

function checkMethodName(compilation: Compilation, { property }: MemberExpression, name: string): void {
  const instead = insteadOfMethod(name);
  if (instead !== undefined) refuseOutside(compilation, property, `\`${name}\``, instead);
  if (methodNames.has(name)) return;
  refuse(compilation.source, property.start, `\`${name}\` is not a known method`, didYouMean(name, methodNames));
}

/** Compiles a call of a function the language knows by name, such as `Math.max`. */
function compileFunction(compilation: Compilation, node: CallExpression, name: string): Evaluate {
  const call = functions.get(name);
  if (call === undefined) {
    if (name === 'Math.random')
      return refuseOutside(compilation, node, '`Math.random`', 'criteria give the same answer every time');
    const hint = insteadOfFunction(name) ?? didYouMean(name, functions.keys());
    return refuse(compilation.source, node.start, `\`${name}\` is not a known function`, hint);
  }
  const args = compileArguments(compilation, node.arguments);
  const site = compilation.siteOf(node);
  compilation.calls.set(node, { kind: 'function', name, args: node.arguments });
  return (scope, run) => call(args(scope, run), run, site);
}

interface MethodCall {
  readonly node: CallExpression;
  readonly name: string;
  readonly receiver: Expression;
  /** `receiver?.name(…)`; the call itself says `receiver.name?.(…)`. */
  readonly optional: boolean;
}

type Apply = (value: unknown, args: readonly unknown[], scope: CriteriaScope, run: Run) => unknown;

/** Looks at the receiver before the method is called: ends the chain or the evaluation when there is nothing to call. */
function compileMethod(
  compilation: Compilation,
  { node, optional, has }: MethodCall & { has(value: unknown): boolean },
  meaning: Exclude<Call, { kind: 'function' }>,
  apply: Apply,
): Evaluate {
  const { name, receiver, args } = meaning;
  const evaluate = compilation.compile(receiver);
  const evaluateArgs = compileArguments(compilation, args);
  const missing = missingPart(compilation, receiver, node, 'called');
  compilation.calls.set(node, meaning);
  return (scope, run) => {
    const value = evaluate(scope, run);
    if (value === shortCircuit) return shortCircuit;
    if (value === undefined || value === null) {
      if (optional) return shortCircuit;
      throw missing(value);
    }
    if (has(value)) return apply(value, evaluateArgs(scope, run), scope, run);
    if (node.optional) return shortCircuit;
    throw lacksMethod(compilation.textOf(receiver), value, name);
  };
}

function lacksMethod(text: string, value: unknown, name: string): Obstacle {
  const type = describeType(value);
  const description = typeof value === 'object' ? type : `${describeValue(value)}, ${type}`;
  return new Obstacle(`${text} is ${description}, which has no method ${name}`);
}

/** Compiles an array method with its callback. */
function compileIteration(compilation: Compilation, call: MethodCall): Evaluate {
  const { node, name, receiver } = call;
  const method = iterations.get(name);
  // A defect of the receiver is reported before one of the callback.
  compilation.compile(receiver);
  const callback = compileCallback(compilation, node, name, method?.callback ?? 'required');
  const { invoke } = callback;
  const site = compilation.siteOf(node);
  const meaning = { kind: 'iteration', name, receiver, callback, args: node.arguments.slice(1) } as const;
  return compileMethod(compilation, { ...call, has: Array.isArray }, meaning, (items, args, scope, run) =>
    method?.iterate({ items: items as unknown[], invoke, args, scope, run, site }),
  );
}

/** Compiles a method of texts whose first argument is a regular expression. */
function compilePatternMethod(compilation: Compilation, call: MethodCall, literal: Literal): Evaluate {
  const { node, name, receiver } = call;
  compilation.compile(receiver);
  const pattern = patternOf(compilation, literal);
  checkPatternUse(compilation, name, literal, pattern);
  const apply = patternMethods.get(name);
  const has = (value: unknown): boolean => typeof value === 'string';
  const meaning = { kind: 'method', name, receiver, args: node.arguments.slice(1) } as const;
  return compileMethod(compilation, { ...call, has }, meaning, (text, args, _scope, run) =>
    apply?.(String(text), pattern, args, run),
  );
}

/** Compiles `/x/.test(value)`, which converts its argument. */
function compilePatternTest(compilation: Compilation, node: CallExpression, literal: Literal, name: string): Evaluate {
  const [receiver, ...rest] = node.arguments;
  const instead = name === 'exec' ? insteadOfMethod(name) : didYouMean(name, ['test']);
  if (name !== 'test') return refuseOutside(compilation, node, `\`${name}\` of a regular expression`, instead);
  if (receiver === undefined || receiver.type === 'SpreadElement' || rest.length > 0)
    return refuse(compilation.source, node.start, '`test` takes one text');
  const pattern = patternOf(compilation, literal);
  const text = compilation.compile(receiver);
  const apply = patternMethods.get(name);
  compilation.calls.set(node, { kind: 'test', name, receiver, pattern, args: [] });
  return (scope, run) => apply?.(toText(text(scope, run), run), pattern, [], run);
}

function patternOf({ source }: Compilation, literal: Literal): Pattern {
  try {
    return compilePattern(literal.regex?.pattern ?? '', literal.regex?.flags ?? '');
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return refuse(source, literal.start + error.offset, error.message);
  }
}

function checkPatternUse({ source }: Compilation, name: string, { start }: Literal, pattern: Pattern): void {
  if (!patternMethodNames.some((available) => available === name))
    refuse(source, start, `\`${name}\` takes no regular expression`, 'use `/…/.test(text)`');
  if ((name === 'matchAll' || name === 'replaceAll') && !pattern.global)
    refuse(source, start, `\`${name}\` needs the \`g\` flag`, `write \`${pattern.source}g\``);
}
