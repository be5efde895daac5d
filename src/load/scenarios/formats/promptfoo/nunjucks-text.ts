import parser, { type TemplateNode } from 'nunjucks/src/parser.js';
import runtime from 'nunjucks/src/runtime.js';
import { contentKey } from '../../../../shared/ids.ts';
import { isRecord } from '../../../../shared/json.ts';
import type { Located, PromptfooReading } from './located.ts';
import { compileExpression, type Evaluate, Unsupported } from './nunjucks-expression.ts';
import { Scope, TemplateFault, type Vars } from './nunjucks-scope.ts';

export type { Vars } from './nunjucks-scope.ts';

/** A part of a text that vars decide: `{{ user.name | upper }}`, or a block from `{% if … %}` to `{% endif %}`. */
export interface Expression {
  /** As it is written. */
  readonly source: string;
  /** Name under which a case has its value. */
  readonly field: string;
  /** True for a var as it is. */
  readonly isVar: boolean;
  /** Names of the vars that it reads. */
  readonly roots: readonly string[];
  /** Of its first brace, from 1. */
  readonly column: number;
  /** Its text with these vars; throws where there is none. */
  write(vars: Vars): string;
}

interface TextProblem {
  readonly column: number;
  readonly message: string;
}

/** A text in the part of nunjucks that is supported: values, filters, `if`, `for` and `set`. */
export interface NunjucksText {
  readonly parts: readonly (string | Expression)[];
  readonly problems: readonly TextProblem[];
}

/** Writes a part of a template; `set` changes the scope for what follows. */
type Render = (scope: Scope) => string;

const simplePlace = /^[A-Za-z_]\w*(?:\.\w+|\[\d+\])*(?:\s*\|\s*[a-z]+)*$/;

/** Parses a text as nunjucks does. */
export function parseNunjucks(text: string): NunjucksText {
  const reader = new TemplateReader(text);
  let nodes: readonly TemplateNode[];
  try {
    nodes = parser.parse(text).children;
  } catch (error) {
    return { parts: [], problems: [invalid(error, text, reader)] };
  }
  try {
    return { parts: reader.parts(nodes), problems: [] };
  } catch (error) {
    return { parts: [], problems: [problemOf(error, reader)] };
  }
}

function problemOf(error: unknown, reader: TemplateReader): TextProblem {
  if (error instanceof Unsupported) {
    const { start, source } = reader.markAt(error.node);
    return { column: start + 1, message: `\`${source.replace(/\s+/g, ' ')}\` has no equal in Assay` };
  }
  if (error instanceof RangeError) return { column: 1, message: 'the template is nested too deeply' };
  throw error;
}

/** A text that nunjucks does not parse, in its words. */
function invalid(error: unknown, text: string, reader: TemplateReader): TextProblem {
  const { message, lineno, colno } = error as Error & { readonly lineno?: number; readonly colno?: number };
  // Both from 1; errors in the parser itself have none.
  const at = lineno && colno ? reader.offsetOf({ lineno: lineno - 1, colno: colno - 1 }) : 0;
  return {
    column: Math.min(at + 1, text.length),
    message: `the template is not valid: ${message.replace(/^parse\w+: /, '')}`,
  };
}

class TemplateReader {
  readonly #text: string;
  readonly #lineStarts: readonly number[];
  #roots: string[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  }

  /** Texts and expressions in their order. What follows a `set` is one expression with it. */
  parts(children: readonly TemplateNode[]): (string | Expression)[] {
    const starts = children.map((child) => this.markAt(child).start);
    const firstSet = children.findIndex(hasSet);
    const parts: (string | Expression)[] = [];
    for (const [index, child] of children.entries()) {
      const isRest = index === firstSet;
      const nodes = isRest ? children.slice(index) : [child];
      const end = isRest ? this.#text.length : (starts[index + 1] ?? this.#text.length);
      const text = plainText(nodes);
      // Assay would fill in what is left of a `raw` block.
      if (text !== undefined && !text.includes('{{')) parts.push(text);
      else parts.push(this.#expression(nodes, starts[index] ?? 0, end));
      if (isRest) break;
    }
    return parts;
  }

  offsetOf({ lineno, colno }: { readonly lineno: number; readonly colno: number }): number {
    return (this.#lineStarts[lineno] ?? this.#text.length) + colno;
  }

  /** The mark `{{ … }}` or `{% … %}` that a node is in; a text begins where it is. */
  markAt(node: TemplateNode): { readonly start: number; readonly source: string } {
    const at = this.offsetOf(node);
    const isText = node.typename === 'Output' && node.children.every(({ typename }) => typename === 'TemplateData');
    if (isText) return { start: at, source: '' };
    const start = Math.max(this.#text.lastIndexOf('{{', at), this.#text.lastIndexOf('{%', at), 0);
    const end = this.#text.indexOf(this.#text[start + 1] === '{' ? '}}' : '%}', start);
    return { start, source: this.#text.slice(start, end === -1 ? undefined : end + 2) };
  }

  #expression(nodes: readonly TemplateNode[], start: number, end: number): Expression {
    this.#roots = [];
    const render = this.#body(nodes);
    const source = this.#text.slice(start, end).replace(/\s*\{#[\s\S]*?#\}\s*$/, '');
    const bound = new Set(nodes.flatMap(boundNames));
    const roots = this.#roots.filter((name) => !bound.has(name));
    const write = (vars: Vars): string => written(source, () => render(new Scope(vars)));
    return { ...namedBy(source), source, roots, column: start + 1, write };
  }

  #body(nodes: readonly TemplateNode[]): Render {
    const renders = nodes.map((node) => this.#statement(node));
    return (scope) => renders.map((render) => render(scope)).join('');
  }

  #statement(node: TemplateNode): Render {
    switch (node.typename) {
      case 'NodeList':
        return this.#body(node.children);
      case 'Output': {
        const outputs = node.children.map((child) => this.#output(child));
        return (scope) => outputs.map((output) => output(scope)).join('');
      }
      case 'If': {
        const condition = this.#value(node.cond as TemplateNode);
        const [then, otherwise] = [this.#optional(node.body), this.#optional(node.else_)];
        return (scope) => (condition(scope) ? then(scope) : otherwise(scope));
      }
      case 'For':
        return this.#loop(node);
      case 'Set':
        return this.#set(node);
      default:
        throw new Unsupported(node);
    }
  }

  #optional(node: unknown): Render {
    return node ? this.#statement(node as TemplateNode) : () => '';
  }

  #output(node: TemplateNode): Render {
    if (node.typename === 'TemplateData') return () => String(node.value);
    const value = this.#value(node);
    return (scope) => textOf(value(scope));
  }

  #value(node: TemplateNode): Evaluate {
    this.#roots.push(...symbolsIn(node));
    return compileExpression(node, (capture) => this.#statement(capture.body as TemplateNode));
  }

  #set(node: TemplateNode): Render {
    const names = (node.targets as readonly TemplateNode[]).map(({ value }) => String(value));
    const value = node.value ? this.#value(node.value as TemplateNode) : this.#value(node.body as TemplateNode);
    return (scope) => {
      const result = value(scope);
      for (const name of names) scope.set(name, result);
      return '';
    };
  }

  #loop(node: TemplateNode): Render {
    const name = node.name as TemplateNode;
    const isPair = name.typename === 'Array';
    const names = (isPair ? name.children : [name]).map(({ value }) => String(value));
    const items = this.#value(node.arr as TemplateNode);
    const [body, none] = [this.#optional(node.body), this.#optional(node.else_)];
    return (outer) => {
      const scope = outer.inner();
      const rows = rowsOf(items(scope), isPair);
      if (rows.length === 0) return none(scope);
      return rows
        .map((row, index) => {
          for (const [place, each] of names.entries()) scope.define(each, row[place]);
          scope.define('loop', loopAt(index, rows.length));
          return body(scope);
        })
        .join('');
    };
  }
}

/** The text of nodes without values; undefined for all others. */
function plainText(nodes: readonly TemplateNode[]): string | undefined {
  const outputs = nodes.flatMap((node) => (node.typename === 'Output' ? node.children : [node]));
  if (outputs.some(({ typename }) => typename !== 'TemplateData')) return undefined;
  return outputs.map(({ value }) => String(value)).join('');
}

function nodesIn(node: TemplateNode): TemplateNode[] {
  const parts = Object.values(node)
    .flat()
    .filter((part): part is TemplateNode => isRecord(part) && 'typename' in part);
  return [node, ...parts.flatMap(nodesIn)];
}

/** Names of vars in an expression: those of filters and tests are none. */
function symbolsIn(node: TemplateNode): string[] {
  const { typename, name, key, right } = node;
  if (typename === 'Symbol') return [String(node.value)];
  const named = typename === 'Is' ? right : typename === 'Pair' ? key : typename === 'Filter' ? name : undefined;
  const parts = Object.values(node)
    .flat()
    .filter((part): part is TemplateNode => isRecord(part) && 'typename' in part);
  return parts.filter((part) => part !== named).flatMap(symbolsIn);
}

function hasSet(node: TemplateNode): boolean {
  return nodesIn(node).some(({ typename }) => typename === 'Set');
}

/** Names that loops and `set` define. */
function boundNames(node: TemplateNode): string[] {
  return nodesIn(node).flatMap(({ typename, name, targets }) => {
    if (typename === 'Set') return (targets as readonly TemplateNode[]).map(({ value }) => String(value));
    if (typename !== 'For') return [];
    const { children, value } = name as TemplateNode;
    return ['loop', ...(children ? children.map((child) => String(child.value)) : [String(value)])];
  });
}

function rowsOf(items: unknown, isPair: boolean): readonly (readonly unknown[])[] {
  if (!items) return [];
  const list = runtime.fromIterator(items);
  if (isPair && isRecord(list)) return Object.entries(list);
  if (isPair && !Array.isArray(list)) throw new TemplateFault('it is not a list of pairs');
  if (typeof list === 'string') return list.split('').map((character) => [character]);
  if (!Array.isArray(list)) return [];
  return isPair ? list.map((item) => [item[0], item[1]]) : list.map((item) => [item]);
}

function loopAt(index: number, length: number) {
  const [revindex, revindex0] = [length - index, length - index - 1];
  return { index: index + 1, index0: index, revindex, revindex0, first: index === 0, last: revindex0 === 0, length };
}

/** A value as nunjucks writes it, but for objects: it writes all of them as `[object Object]`. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = String(value);
  if (typeof value === 'object' && text.includes('[object Object]')) {
    throw new TemplateFault('promptfoo writes an object as `[object Object]`; write `| dump` after it for its JSON');
  }
  return text;
}

function written(source: string, render: () => string): string {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new TemplateFault(`\`${source.replace(/\s+/g, ' ')}\` has no text: ${error.message}`);
  }
}

function namedBy(source: string): { readonly field: string; readonly isVar: boolean } {
  const [, inside = ''] = /^\{\{-?\s*([\s\S]*?)\s*-?\}\}$/.exec(source) ?? [];
  if (!simplePlace.test(inside)) return { field: `text-${contentKey([source]).slice(0, 8)}`, isVar: false };
  const steps = inside.split(/\s*\|\s*|\.|\[|\]/).filter((step) => step !== '');
  return { field: steps.join('.'), isVar: steps.length === 1 };
}

export function hasTemplate(text: string): boolean {
  return /\{\{|\{%|\{#/.test(text);
}

/** The text of a template with these vars; a missing one is empty, as in promptfoo. Throws where it has no text. */
export function fillNunjucks({ parts }: NunjucksText, vars: Vars): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.write(vars))).join('');
}

/** The same for a template at a place of a config, where its problems are reported. */
export function fillAt(place: Located, template: string, vars: Vars, { found }: PromptfooReading): string {
  const parsed = parseNunjucks(template);
  for (const { column, message } of parsed.problems) found.problems.push({ at: place.characterAt(column), message });
  if (parsed.problems.length > 0) return template;
  try {
    return fillNunjucks(parsed, vars);
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    found.problems.push(place.problem(error.message));
    return template;
  }
}

/** Expressions of a text. */
export function expressionsOf({ parts }: NunjucksText): Expression[] {
  return parts.filter((part) => typeof part !== 'string');
}
