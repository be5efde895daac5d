import { type Expression, parseExpressionAt } from 'acorn';
import filters from 'nunjucks/src/filters.js';
import type { TemplateNode } from 'nunjucks/src/parser.js';
import runtime from 'nunjucks/src/runtime.js';
import tests from 'nunjucks/src/tests.js';
import { isRecord, parseJson } from '../../../../shared/json.ts';
import { type Scope, TemplateFault } from './nunjucks-scope.ts';

/** Computes the value of an expression. */
export type Evaluate = (scope: Scope) => unknown;

/** Thrown for a part of a template that is not supported. */
export class Unsupported extends Error {
  readonly node: TemplateNode;

  constructor(node: TemplateNode) {
    super(node.typename);
    this.node = node;
  }
}

/** Filters that give another text each time, or one of any length. */
const refusedFilters: ReadonlySet<string> = new Set(['random', 'center', 'indent', 'urlize', 'batch', 'slice']);
/** Functions that nunjucks defines; a call of one is not supported. */
const globals: ReadonlySet<string> = new Set(['range', 'cycler', 'joiner']);

const operators: Readonly<Record<string, (left: never, right: never) => unknown>> = {
  // Loose, as in JavaScript: nunjucks compares so.
  // biome-ignore lint/suspicious/noDoubleEquals: see above
  '==': (left, right) => left == right,
  // biome-ignore lint/suspicious/noDoubleEquals: see above
  '!=': (left, right) => left != right,
  '===': (left, right) => left === right,
  '!==': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '>': (left, right) => left > right,
  '<=': (left, right) => left <= right,
  '>=': (left, right) => left >= right,
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
};

const signs: Readonly<Record<string, string>> = {
  ...{ Or: ' || ', And: ' && ', Add: ' + ', Sub: ' - ', Mul: ' * ', Div: ' / ', Mod: ' % ' },
  ...{ Not: '!', Neg: '-', Pos: '+' },
};

/**
 * nunjucks writes an expression as JavaScript without parentheses, and JavaScript groups it: `not a == b` is
 * `(!a) == b`. So the operators are written in the same way here, and parsed as JavaScript.
 */
export function compileExpression(node: TemplateNode, capture: (node: TemplateNode) => Evaluate): Evaluate {
  return new ExpressionCompiler(capture).whole(node);
}

class ExpressionCompiler {
  readonly #capture: (node: TemplateNode) => Evaluate;

  constructor(capture: (node: TemplateNode) => Evaluate) {
    this.#capture = capture;
  }

  whole(node: TemplateNode): Evaluate {
    const operands: Evaluate[] = [];
    return grouped(this.#written(node, operands), operands, node);
  }

  /** The operators as JavaScript, with `$0`, `$1` … for their operands. */
  #written(node: TemplateNode, operands: Evaluate[]): string {
    const write = (part: unknown): string => this.#written(present(part, node), operands);
    const sign = Object.hasOwn(signs, node.typename) ? signs[node.typename] : undefined;
    if (sign !== undefined) return `${node.left ? write(node.left) : ''}${sign}${write(node.right ?? node.target)}`;
    if (node.typename === 'Concat') return `${write(node.left)} + "" + ${write(node.right)}`;
    if (node.typename === 'Compare') {
      const ops = node.ops as readonly (TemplateNode & { readonly type: string; readonly expr: TemplateNode })[];
      return write(node.expr) + ops.map(({ type, expr }) => ` ${type} ${write(expr)}`).join('');
    }
    if (node.typename === 'NodeList' && node.children.length === 1) return write(node.children[0]);
    operands.push(this.#operand(node));
    return `$${operands.length - 1}`;
  }

  #operand(node: TemplateNode): Evaluate {
    const { typename, value, children } = node;
    const part = (name: string): Evaluate => this.whole(present(node[name], node));
    switch (typename) {
      case 'Literal':
        if (value instanceof RegExp) throw new Unsupported(node);
        return () => value;
      case 'Symbol':
        return symbol(String(value));
      case 'Group':
        if (children.length !== 1 || !children[0]) throw new Unsupported(node);
        return this.whole(children[0]);
      case 'Array': {
        const items = children.map((child) => this.whole(child));
        return (scope) => items.map((item) => item(scope));
      }
      case 'Dict':
      case 'KeywordArgs':
        return this.#dict(node);
      case 'LookupVal': {
        const [target, key] = [part('target'), part('val')];
        return (scope) => memberOf(target(scope), key(scope));
      }
      case 'InlineIf': {
        const [condition, then] = [part('cond'), part('body')];
        const otherwise: Evaluate = node.else_ ? part('else_') : () => '';
        return (scope) => (condition(scope) ? then(scope) : otherwise(scope));
      }
      case 'In': {
        const [item, whole] = [part('left'), part('right')];
        return (scope) => runtime.inOperator(item(scope), whole(scope));
      }
      case 'FloorDiv': {
        const operands: Evaluate[] = [];
        const [left, right] = ['left', 'right'].map((name) => this.#written(present(node[name], node), operands));
        const quotient = grouped(`${left} / ${right}`, operands, node);
        return (scope) => Math.floor(quotient(scope) as number);
      }
      case 'Pow': {
        const [base, exponent] = [part('left'), part('right')];
        return (scope) => (base(scope) as number) ** (exponent(scope) as number);
      }
      case 'Is':
        return this.#test(node);
      case 'Filter':
        return this.#filter(node);
      case 'Capture':
        return this.#capture(node);
      default:
        throw new Unsupported(node);
    }
  }

  #dict({ typename, children }: TemplateNode): Evaluate {
    const pairs = children.map((pair): [string, Evaluate] => {
      const key = pair.key as TemplateNode;
      if (typeof key.value !== 'string' || key.value === '__proto__') throw new Unsupported(pair);
      return [key.value, this.whole(pair.value as TemplateNode)];
    });
    return (scope) => {
      const values = Object.fromEntries(pairs.map(([name, value]) => [name, value(scope)]));
      return typename === 'Dict' ? values : runtime.makeKeywordArgs(values);
    };
  }

  #test(node: TemplateNode): Evaluate {
    const right = node.right as TemplateNode;
    const name = String((right.name as TemplateNode | undefined)?.value ?? right.value);
    const test = Object.hasOwn(tests, name) ? tests[name] : undefined;
    if (!test) throw new Unsupported(node);
    const args = [node.left as TemplateNode, ...((right.args as TemplateNode | undefined)?.children ?? [])];
    const values = args.map((arg) => this.whole(arg));
    return (scope) => test.call(context, ...values.map((value) => value(scope))) === true;
  }

  #filter(node: TemplateNode): Evaluate {
    const filter = filterNamed(String((node.name as TemplateNode).value));
    if (!filter) throw new Unsupported(node);
    const args = (node.args as TemplateNode).children.map((child) => this.whole(child));
    return (scope) => filter.call(context, ...args.map((arg) => arg(scope)));
  }
}

/** A part of a node: the parser leaves out some that it could not read. */
function present(part: unknown, node: TemplateNode): TemplateNode {
  if (!part) throw new Unsupported(node);
  return part as TemplateNode;
}

/** `this` of filters and tests. */
const context = { env: { opts: {}, getTest: testNamed } };

function testNamed(name: string): unknown {
  if (Object.hasOwn(tests, name)) return tests[name];
  throw new TemplateFault(`there is no test "${name}"`);
}

function filterNamed(name: string): ((this: unknown, ...args: unknown[]) => unknown) | undefined {
  // promptfoo adds this one.
  if (name === 'load') return (text) => parseJson(String(text));
  return Object.hasOwn(filters, name) && !refusedFilters.has(name) ? filters[name] : undefined;
}

function symbol(name: string): Evaluate {
  return (scope) => {
    const value = scope.get(name);
    if (value === undefined && (globals.has(name) || name in Object.prototype)) {
      throw new TemplateFault(`\`${name}\` is a function`);
    }
    return value;
  };
}

/** Own values alone: a function of JavaScript would be written as its source. */
function memberOf(whole: unknown, key: unknown): unknown {
  if (whole === undefined || whole === null) return undefined;
  const member = (whole as Readonly<Record<string, unknown>>)[String(key)];
  if (typeof member === 'function') throw new TemplateFault(`\`${String(key)}\` is a function`);
  return isRecord(whole) && !Object.hasOwn(whole, String(key)) ? undefined : member;
}

/** Evaluates operators in the order that JavaScript gives them. */
function grouped(text: string, operands: readonly Evaluate[], node: TemplateNode): Evaluate {
  if (text === '$0') return operands[0] as Evaluate;
  try {
    const parsed = parseExpressionAt(text, 0, { ecmaVersion: 2022 });
    if (parsed.end < text.length) throw new Unsupported(node);
    return compiled(parsed, operands, node);
  } catch (error) {
    if (error instanceof SyntaxError) throw new Unsupported(node);
    throw error;
  }
}

function compiled(tree: Expression, operands: readonly Evaluate[], node: TemplateNode): Evaluate {
  const compile = (part: unknown): Evaluate => compiled(part as Expression, operands, node);
  if (tree.type === 'Identifier') return operands[Number(tree.name.slice(1))] as Evaluate;
  if (tree.type === 'Literal') return () => '';
  if (tree.type === 'LogicalExpression') {
    const [left, right] = [compile(tree.left), compile(tree.right)];
    if (tree.operator === '||') return (scope) => left(scope) || right(scope);
    return (scope) => left(scope) && right(scope);
  }
  if (tree.type === 'UnaryExpression') {
    const value = compile(tree.argument);
    if (tree.operator === '!') return (scope) => !value(scope);
    const sign = tree.operator === '-' ? -1 : 1;
    return (scope) => sign * Number(value(scope));
  }
  const operate = tree.type === 'BinaryExpression' ? operators[tree.operator] : undefined;
  if (tree.type !== 'BinaryExpression' || !operate) throw new Unsupported(node);
  const [left, right] = [compile(tree.left), compile(tree.right)];
  return (scope) => operate(left(scope) as never, right(scope) as never);
}
