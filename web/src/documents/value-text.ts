import { Document, isCollection, isScalar, Scalar, visit } from 'yaml';
import { isRecord } from './document-change.ts';
import type { Syntax } from './read-document.ts';

/** A value on one line, as it is written inside of braces and brackets. */
export function flowText(value: unknown, syntax: Syntax): string {
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
export function keyText(key: string, syntax: Syntax): string {
  return syntax === 'json' ? JSON.stringify(key) : flowText(key, syntax);
}

/** A text, number or such in place of another, with the quotes of the one before; undefined where it takes several lines. */
export function scalarText(value: unknown, old: unknown, isInFlow: boolean, syntax: Syntax): string | undefined {
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
