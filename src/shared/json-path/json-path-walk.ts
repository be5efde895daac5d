import type { JSONPathQuery } from 'json-p3';
import { isNumeric, jsonEquals, parseExactJson } from '../exact-json.ts';
import { isRecord } from '../json.ts';
import { compileTextPattern, type TextPattern, UnusablePattern } from '../patterns.ts';

/** Why a JSONPath query cannot be used, or not on this document. */
export class JsonPathError extends Error {}

type Syntax = typeof import('json-p3');
type Segment = JSONPathQuery['segments'][number];
type Selector = Segment['selectors'][number];
type Expression = InstanceType<Syntax['jsonpath']['expressions']['FilterExpression']>;
type Call = InstanceType<Syntax['jsonpath']['expressions']['FunctionExtension']>;
type Query = InstanceType<Syntax['jsonpath']['expressions']['FilterQuery']>;

/** Two seconds of work at most, and more than any sensible query of megabytes of JSON needs. */
const maxSteps = 3_000_000;
/** Matching a pattern of size 1 against this many characters costs about as much as a step. */
const matchedPerStep = 200;
/** Compiling takes about as long as this many steps for each unit of a pattern's size. */
const stepsPerCompiledUnit = 30;
const nothing = Symbol('nothing');

/**
 * Asks one document one query. Queries of queries can take time beyond all bounds on a document of moderate size, so
 * the syntax tree is walked here, where every step is counted.
 */
export class JsonPathWalk {
  readonly #syntax: Syntax;
  readonly #document: unknown;
  readonly #patterns = new Map<string, TextPattern | undefined>();
  #stepsLeft = maxSteps;

  constructor(syntax: Syntax, document: unknown) {
    this.#syntax = syntax;
    this.#document = document;
  }

  selectAll(query: JSONPathQuery): unknown[] {
    try {
      return this.#select(query, this.#document);
    } catch (error) {
      if (error instanceof RangeError) throw new JsonPathError('the JSON is nested too deeply for it');
      throw error;
    }
  }

  #spend(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw new JsonPathError('it takes too much work on this JSON; select less');
  }

  #select(query: JSONPathQuery, start: unknown): unknown[] {
    return query.segments.reduce<unknown[]>((values, segment) => this.#follow(segment, values), [start]);
  }

  #follow(segment: Segment, values: readonly unknown[]): unknown[] {
    const isDescendant = segment.token.kind === this.#syntax.TokenKind.DDOT;
    const selected: unknown[] = [];
    const follow = (value: unknown): void => {
      for (const selector of segment.selectors) this.#apply(selector, value, selected);
    };
    for (const value of values) {
      if (isDescendant) for (const visited of this.#withDescendants(value)) follow(visited);
      else follow(value);
    }
    return selected;
  }

  *#withDescendants(start: unknown): Generator<unknown> {
    const waiting = [start];
    while (waiting.length > 0) {
      const value = waiting.pop();
      yield value;
      const children = this.#childrenOf(value);
      for (let index = children.length - 1; index >= 0; index--) waiting.push(children[index]);
    }
  }

  #childrenOf(value: unknown): readonly unknown[] {
    const children = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
    this.#spend(1 + children.length);
    return children;
  }

  #apply(selector: Selector, value: unknown, selected: unknown[]): void {
    const { FilterSelector, NameSelector, WildcardSelector } = this.#syntax.jsonpath.selectors;
    if (selector instanceof NameSelector) {
      this.#spend(1);
      if (isRecord(value) && Object.hasOwn(value, selector.name)) selected.push(value[selector.name]);
    } else if (selector instanceof FilterSelector) {
      for (const child of this.#childrenOf(value)) if (this.#holds(selector.expression, child)) selected.push(child);
    } else if (selector instanceof WildcardSelector) {
      for (const child of this.#childrenOf(value)) selected.push(child);
    } else {
      this.#spend(Array.isArray(value) ? 1 + value.length / 100 : 1);
      const node = new this.#syntax.JSONPathNode(value as null, [], null);
      for (const { value: found } of selector.resolve(node)) selected.push(found);
    }
  }

  #holds(expression: Expression, current: unknown): boolean {
    const { FilterQuery, InfixExpression, LogicalExpression, PrefixExpression } = this.#syntax.jsonpath.expressions;
    this.#spend(1);
    if (expression instanceof LogicalExpression) return this.#holds(expression.expression, current);
    if (expression instanceof PrefixExpression) return !this.#holds(expression.right, current);
    if (expression instanceof FilterQuery) return this.#nodesOf(expression, current).length > 0;
    if (!(expression instanceof InfixExpression)) return this.#valueOf(expression, current) === true;
    const { left, operator, right } = expression;
    if (operator === '&&') return this.#holds(left, current) && this.#holds(right, current);
    if (operator === '||') return this.#holds(left, current) || this.#holds(right, current);
    return this.#compare(this.#valueOf(left, current), operator, this.#valueOf(right, current));
  }

  #nodesOf(query: Query, current: unknown): unknown[] {
    const isRelative = query instanceof this.#syntax.jsonpath.expressions.RelativeQuery;
    return this.#select(query.path, isRelative ? current : this.#document);
  }

  #valueOf(expression: Expression, current: unknown): unknown {
    const { BooleanLiteral, FilterQuery, FunctionExtension, NumberLiteral, StringLiteral } =
      this.#syntax.jsonpath.expressions;
    this.#spend(1);
    if (expression instanceof FunctionExtension) return this.#call(expression, current);
    if (expression instanceof FilterQuery) return only(this.#nodesOf(expression, current));
    if (expression instanceof NumberLiteral) return parseExactJson(expression.token.value);
    if (expression instanceof StringLiteral || expression instanceof BooleanLiteral) return expression.value;
    return null;
  }

  #call({ name, args: [first, second] }: Call, current: unknown): unknown {
    // The syntax lets `count` and `value` have nothing but a query.
    const nodes = (): unknown[] => this.#nodesOf(first as Query, current);
    const value = (argument = first): unknown => (argument ? this.#valueOf(argument, current) : nothing);
    if (name === 'count') return nodes().length;
    if (name === 'value') return only(nodes());
    if (name === 'length') return this.#lengthOf(value());
    const [text, pattern] = [value(first), value(second)];
    if (typeof text !== 'string' || typeof pattern !== 'string') return false;
    return this.#matches(text, pattern, name === 'match');
  }

  #lengthOf(value: unknown): unknown {
    if (typeof value === 'string') {
      this.#spend(value.length / 10);
      return codePointCount(value);
    }
    if (Array.isArray(value)) return value.length;
    return isRecord(value) ? this.#childrenOf(value).length : nothing;
  }

  #matches(text: string, pattern: string, isWhole: boolean): boolean {
    const compiled = this.#patternOf(pattern);
    if (compiled === undefined) return false;
    this.#spend((text.length * compiled.size) / matchedPerStep);
    return isWhole ? compiled.isAllOf(text) : compiled.occursIn(text);
  }

  #patternOf(pattern: string): TextPattern | undefined {
    if (!this.#patterns.has(pattern)) {
      this.#spend(1_000 + pattern.length);
      const compiled = compileFilterPattern(pattern);
      this.#spend((compiled?.size ?? 0) * stepsPerCompiledUnit);
      this.#patterns.set(pattern, compiled);
    }
    return this.#patterns.get(pattern);
  }

  #compare(left: unknown, operator: string, right: unknown): boolean {
    const equal = (): boolean => jsonEquals(left, right, () => this.#spend(1));
    if (operator === '==') return equal();
    if (operator === '!=') return !equal();
    const isStrict = operator === '<' || operator === '>';
    const isLess = operator.startsWith('<') ? isBelow(left, right) : isBelow(right, left);
    return isLess || (!isStrict && equal());
  }
}

function only(values: readonly unknown[]): unknown {
  return values.length === 1 ? values[0] : nothing;
}

function isBelow(left: unknown, right: unknown): boolean {
  if (isNumeric(left) && isNumeric(right)) return left < right;
  return typeof left === 'string' && typeof right === 'string' && comesBefore(left, right);
}

/** The number of code points in a text. */
export function codePointCount(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

/** Order by code points: that of UTF-16 units would put an emoji before the last of the basic plane. */
function comesBefore(left: string, right: string): boolean {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  if (at >= left.length || at >= right.length) return left.length < right.length;
  return rank(left.charCodeAt(at)) < rank(right.charCodeAt(at));
}

/** A pattern of `match` or `search`; undefined for one that cannot be used, which matches nothing. */
function compileFilterPattern(pattern: string): TextPattern | undefined {
  try {
    return compileTextPattern(dotsWithoutLineEnds(pattern));
  } catch (error) {
    if (error instanceof UnusablePattern) return undefined;
    throw error;
  }
}

/** In I-Regexp a dot stands for neither of the two line ends. */
function dotsWithoutLineEnds(pattern: string): string {
  return pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\./gs, (part) => (part === '.' ? '[^\\n\\r]' : part));
}

function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}
