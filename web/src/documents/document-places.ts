import { isCollection, isMap, isNode, isPair, isScalar, isSeq, type Node } from 'yaml';
import type { Path } from './document-change.ts';
import type { Position, ReadableDocument } from './read-document.ts';

/** The part of a document that a position of its text belongs to, as exactly as it can be told. */
export function pathAt(read: ReadableDocument, position: Position): Path {
  const lineStart = read.lines.lineStarts[position.line - 1];
  if (lineStart === undefined) return [];
  return pathOfOffset(read.document.contents, lineStart + position.column - 1);
}

/** Where the value at a path begins in the text; the place of what holds it, where it is not there. */
export function positionOf(read: ReadableDocument, path: Path): Position {
  const node = nearestNode(read, path);
  const { line, col } = read.lines.linePos(node?.range?.[0] ?? 0);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function nearestNode(read: ReadableDocument, path: Path): Node | undefined {
  for (let length = path.length; length >= 0; length--) {
    const node = read.document.getIn(path.slice(0, length), true);
    if (isNode(node)) return node;
  }
  return undefined;
}

function pathOfOffset(node: unknown, offset: number): Path {
  if (isSeq(node)) {
    const index = node.items.findIndex((item) => holds(item, offset));
    return index < 0 ? [] : [index, ...pathOfOffset(node.items[index], offset)];
  }
  if (!isMap(node)) return [];
  const pair = node.items.find(({ key, value }) => startOf(key) <= offset && offset < endOf(value ?? key));
  const key = pair && isScalar(pair.key) ? pair.key.value : undefined;
  if (pair === undefined || (typeof key !== 'string' && typeof key !== 'number')) return [];
  return [String(key), ...pathOfOffset(pair.value, offset)];
}

function holds(item: unknown, offset: number): boolean {
  if (isPair(item)) return startOf(item.key) <= offset && offset < endOf(item.value ?? item.key);
  return startOf(item) <= offset && offset < endOf(item);
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
}

function endOf(node: unknown): number {
  if (!isNode(node)) return -1;
  return isCollection(node) ? (node.range?.[2] ?? -1) : (node.range?.[1] ?? -1) + 1;
}
