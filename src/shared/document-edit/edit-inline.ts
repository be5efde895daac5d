import { Document, isCollection, isNode, isPair, isScalar, Scalar, visit } from 'yaml';
import { isRecord } from '../json.ts';
import type { Syntax } from './read-document.ts';
import type { ResolvedChange } from './resolve-change.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Edits inside of braces and brackets, which is all there is in JSON: only the item that changes is written. */
export function editFlow(text: string, change: ResolvedChange, syntax: Syntax): string | undefined {
  const { container, step } = change;
  const inside = container.range;
  const spans = container.items.map(spanOf);
  if (container.flow !== true || !inside || !spans.every((span) => span !== undefined)) return undefined;
  const whole = { start: inside[0], end: inside[1] };
  switch (step.kind) {
    case 'put': {
      const index = container.items.findIndex((item, position) => keyOf(item, position) === step.key);
      if (index >= 0) return replaceValue(text, container.items[index], spans[index], step.value, syntax);
      return insert(text, whole, spans, spans.length, itemText(step.key, step.value, syntax));
    }
    case 'insert':
      return insert(text, whole, spans, step.index, flowText(step.value, syntax));
    case 'remove':
      return remove(
        text,
        spans,
        container.items.findIndex((item, position) => keyOf(item, position) === step.key),
      );
    case 'move':
      return move(text, spans, step.from, step.to);
  }
}

function itemText(key: string | number, value: unknown, syntax: Syntax): string {
  const written = flowText(value, syntax);
  return typeof key === 'number' ? written : `${keyText(key, syntax)}: ${written}`;
}

function replaceValue(text: string, item: unknown, span: Span | undefined, value: unknown, syntax: Syntax) {
  const node = isPair(item) ? item.value : item;
  const range = isNode(node) ? node.range : undefined;
  const written = flowText(value, syntax);
  if (range && range[0] < range[1]) return splice(text, { start: range[0], end: range[1] }, written);
  const key = isPair(item) && isScalar(item.key) ? String(item.key.value) : undefined;
  if (key === undefined || span === undefined) return undefined;
  return splice(text, span, `${keyText(key, syntax)}: ${written}`);
}

function insert(text: string, whole: Span, spans: readonly Span[], index: number, written: string): string {
  const before = spans[index - 1];
  const after = spans[index];
  const first = spans[0];
  if (before !== undefined) {
    return splice(text, { start: before.end, end: before.end }, `,${separator(text, whole, first)}${written}`);
  }
  if (after !== undefined) {
    return splice(text, { start: after.start, end: after.start }, `${written},${separator(text, whole, first)}`);
  }
  const isMap = text[whole.start] === '{';
  return splice(text, { start: whole.start + 1, end: whole.start + 1 }, isMap ? ` ${written} ` : written);
}

function separator(text: string, whole: Span, first: Span | undefined): string {
  const gap = first === undefined ? '' : text.slice(whole.start + 1, first.start);
  return gap.includes('\n') ? `\n${gap.slice(gap.lastIndexOf('\n') + 1)}` : ' ';
}

function remove(text: string, spans: readonly Span[], index: number): string | undefined {
  const span = spans[index];
  if (span === undefined) return undefined;
  const next = spans[index + 1];
  if (next !== undefined) {
    const comma = commaBetween(text, span.end, next.start);
    const rest = text.slice(comma + 1, next.start);
    return splice(text, { start: span.start, end: comma + 1 + (rest.length - rest.trimStart().length) }, '');
  }
  const trailingComma = /^\s*,/.exec(text.slice(span.end));
  if (trailingComma) return splice(text, { start: span.start, end: span.end + trailingComma[0].length }, '');
  const previous = spans[index - 1];
  if (previous === undefined) return splice(text, span, '');
  const comma = commaBetween(text, previous.end, span.start);
  const between = text.slice(comma + 1, span.start).trimEnd();
  return text.slice(0, comma) + between + text.slice(span.end);
}

function move(text: string, spans: readonly Span[], from: number, to: number): string | undefined {
  const order = spans.map((_, position) => position);
  const [item] = order.splice(from, 1);
  if (item === undefined) return undefined;
  order.splice(to, 0, item);
  const texts = spans.map(({ start, end }) => text.slice(start, end));
  return spans.reduceRight((edited, span, position) => splice(edited, span, texts[order[position] ?? 0] ?? ''), text);
}

function commaBetween(text: string, start: number, end: number): number {
  const gap = text.slice(start, end).replace(/#.*|\/\/.*|\/\*[\s\S]*?\*\//g, (comment) => ' '.repeat(comment.length));
  return start + Math.max(gap.indexOf(','), 0);
}

function spanOf(item: unknown): Span | undefined {
  const first = isPair(item) ? item.key : item;
  const last = isPair(item) ? (item.value ?? item.key) : item;
  const start = isNode(first) ? first.range?.[0] : undefined;
  const end = isNode(last) ? last.range?.[1] : undefined;
  return start === undefined || end === undefined ? undefined : { start, end };
}

function keyOf(item: unknown, position: number): unknown {
  return isPair(item) ? (isScalar(item.key) ? item.key.value : undefined) : position;
}

function splice(text: string, { start, end }: Span, written: string): string {
  return text.slice(0, start) + written + text.slice(end);
}

/** Puts a text, number or such in the place of another and touches no other character. */
export function editScalar(text: string, { step, isInFlow }: ResolvedChange, syntax: Syntax): string | undefined {
  if (step.kind !== 'put' || !isScalar(step.old) || isStructured(step.value)) return undefined;
  const [start, end] = step.old.range ?? [0, 0];
  if (start === end || text.slice(start, end).includes('\n')) return undefined;
  const replacement = scalarText(step.value, step.old, isInFlow, syntax);
  return replacement === undefined ? undefined : text.slice(0, start) + replacement + text.slice(end);
}

function isStructured(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** A value on one line, as it is written inside of braces and brackets. */
function flowText(value: unknown, syntax: Syntax): string {
  if (syntax === 'json') return jsonText(value);
  const document = new Document([value]);
  visit(document, {
    Collection(_key, node) {
      node.flow = true;
    },
    Scalar(_key, node) {
      if (typeof node.value === 'string' && node.value.includes('\n')) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0 }).trim().slice(1, -1).trim();
}

/** The key of a new pair, as it is written in the file. */
function keyText(key: string, syntax: Syntax): string {
  return syntax === 'json' ? JSON.stringify(key) : flowText(key, syntax);
}

/** A text, number or such in place of another, with the quotes of the one before; undefined where it takes several lines. */
function scalarText(value: unknown, old: unknown, isInFlow: boolean, syntax: Syntax): string | undefined {
  if (syntax === 'json') return JSON.stringify(value);
  const scalar = new Scalar(value);
  const isQuoted = isScalar(old) && (old.type === Scalar.QUOTE_DOUBLE || old.type === Scalar.QUOTE_SINGLE);
  if (isQuoted && typeof value === 'string') scalar.type = old.type ?? Scalar.PLAIN;
  if (isInFlow) return flowText(scalar, syntax);
  const document = new Document();
  const list = document.createNode([scalar]);
  if (isCollection(list)) document.contents = list;
  const text = document.toString({ lineWidth: 0 }).trimEnd();
  return text.includes('\n') ? undefined : text.slice('- '.length);
}

function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const pairs = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${jsonText(inner)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}
