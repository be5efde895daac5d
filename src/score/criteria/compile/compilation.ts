import type { Expression, Node, Super } from 'acorn';
import { maxExpressionDepth, type Run, spendSize, spendSteps } from '../budget.ts';
import { type CallSite, Obstacle } from '../criterion-error.ts';
import { sequence } from '../library/functions.ts';
import type { Invoke } from '../library/iterations.ts';
import type { Pattern } from '../library/pattern.ts';
import { refuse } from '../parse/refusals.ts';
import type { CriteriaScope, RootName } from '../scope.ts';
import { type Argument, isNode, type LiteralValue, type Span } from '../syntax.ts';

/** A compiled expression. */
export type Evaluate = (scope: CriteriaScope, run: Run) => unknown;

/** A function given to an array method: an arrow function, the name of a known function, or nothing. */
export interface Callback extends Span {
  readonly invoke: Invoke | undefined;
  /** Of an arrow function. */
  readonly body?: Expression;
}

/** The meaning of a call: of a function, a method, an array method with a callback, or `/x/.test(value)`. */
export type Call =
  | { readonly kind: 'function'; readonly name: string; readonly args: readonly Argument[] }
  | (MethodCall & { readonly kind: 'method' })
  | (MethodCall & { readonly kind: 'iteration'; readonly callback: Callback })
  | (MethodCall & { readonly kind: 'test'; readonly pattern: Pattern });

interface MethodCall {
  readonly name: string;
  readonly receiver: Expression;
  /** Without a callback and without a regular expression. */
  readonly args: readonly Argument[];
}

/** Gives a node its meaning. */
type CompileNode = (compilation: Compilation, node: Expression) => Evaluate;

/** An expression on its way from syntax tree to closures, and what was found out about its nodes. */
export class Compilation {
  readonly source: string;
  readonly roots: readonly RootName[];
  /** Values written in the criterion, by the nodes that write them. */
  readonly literals = new Map<Node, LiteralValue>();
  readonly rootNodes = new Map<Node, RootName>();
  readonly calls = new Map<Node, Call>();
  /** Nodes compiled so far. */
  nodeCount = 0;
  /** Values that callbacks bind. */
  slotCount = 0;
  /** The names bound by the arrow functions around the current node, with their slots. */
  bound: ReadonlyMap<string, number> = new Map();
  readonly #compiled = new Map<Node, Evaluate>();
  #depth = 0;

  readonly #compileNode: CompileNode;

  constructor(source: string, roots: readonly RootName[], compileNode: CompileNode) {
    this.source = source;
    this.roots = roots;
    this.#compileNode = compileNode;
  }

  /** Compiles each node once: an explanation evaluates parts of what was compiled before. */
  readonly compile = (node: Expression): Evaluate => {
    const compiled = this.#compiled.get(node);
    if (compiled !== undefined) return compiled;
    if (this.#depth >= maxExpressionDepth) refuse(this.source, node.start, 'the expression is nested too deeply');
    this.#depth += 1;
    this.nodeCount += 1;
    const evaluate = this.#compileNode(this, node);
    this.#depth -= 1;
    this.#compiled.set(node, evaluate);
    return evaluate;
  };

  /** Compiles a node with other names bound. */
  compileWithin(node: Expression, bound: ReadonlyMap<string, number>): Evaluate {
    const outer = this.bound;
    this.bound = bound;
    const evaluate = this.compile(node);
    this.bound = outer;
    return evaluate;
  }

  /** The text of a node on one line, for explanations. */
  textOf({ start, end }: Span): string {
    return this.source.slice(start, end).replace(/\s+/g, ' ');
  }

  /** The text of a call for the explanations of whatever goes wrong in it. */
  siteOf(span: Span): CallSite {
    return { text: this.textOf(span) };
  }

  /** The direct parts of a node: of a call its receiver, its arguments and the body of its callback. */
  partsOf(node: Node): Node[] {
    const call = this.calls.get(node);
    if (!call) return Object.values(node).flat().filter(isNode);
    const receiver = call.kind === 'function' ? [] : [call.receiver];
    const body = call.kind === 'iteration' ? [call.callback.body ?? []].flat() : [];
    return [...receiver, ...body, ...call.args];
  }
}

/** Marks an optional chain that ended early; it never leaves the chain. */
export const shortCircuit: unique symbol = Symbol('short circuit');

/** A compiled list of arguments or elements. */
type EvaluateList = (scope: CriteriaScope, run: Run) => unknown[];

/** Compiles the arguments of a call or the elements of an array literal, spreads included. */
export function compileArguments(compilation: Compilation, args: readonly Argument[]): EvaluateList {
  if (args.some(({ type }) => type === 'SpreadElement')) return compileSpreads(compilation, args);
  const evaluates = args.map((arg) => compilation.compile(arg as Expression));
  return (scope, run) => evaluates.map((evaluate) => evaluate(scope, run));
}

function compileSpreads(compilation: Compilation, args: readonly Argument[]): EvaluateList {
  const appends = args.map((arg) => {
    if (arg.type !== 'SpreadElement') {
      const evaluate = compilation.compile(arg);
      return (list: unknown[], scope: CriteriaScope, run: Run): void => void list.push(evaluate(scope, run));
    }
    const evaluate = compilation.compile(arg.argument);
    const site = compilation.siteOf(arg);
    return (list: unknown[], scope: CriteriaScope, run: Run): void => {
      const items = sequence(evaluate(scope, run), run, site);
      spendSteps(run, 1 + (items.length >> 3));
      spendSize(run, items.length);
      for (const item of items) list.push(item);
    };
  });
  return (scope, run) => {
    const list: unknown[] = [];
    for (const append of appends) append(list, scope, run);
    return list;
  };
}

/** The names that stand for groups of functions and are no values themselves. */
export const namespaces: ReadonlySet<string> = new Set(['Array', 'Object', 'Math', 'JSON', 'Number', 'String']);

/** Gives the name of a namespace such as `Math`, unless an arrow function around it has rebound the name. */
export function namespaceName({ bound }: Compilation, node: Expression | Super): string | undefined {
  const isNamespace = node.type === 'Identifier' && namespaces.has(node.name) && !bound.has(node.name);
  return isNamespace ? node.name : undefined;
}

/** Explains that a part could not be reached because what holds it is missing. */
export function missingPart(
  compilation: Compilation,
  holder: Expression,
  part: Expression,
  verb: 'read' | 'called',
): (value: undefined | null) => Obstacle {
  return (value) =>
    new Obstacle(`${compilation.textOf(holder)} is ${value}, so ${compilation.textOf(part)} cannot be ${verb}`);
}
