import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml';
import type { Path } from './document-change.ts';

const stringOrComment = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** JSON with its comments replaced by spaces, so every other character keeps its position. */
function maskJsonComments(text: string): string {
  return text.replace(stringOrComment, (found) => (found.startsWith('"') ? found : found.replace(/[^\n\r]/g, ' ')));
}

/** How a file is written, as far as forms can edit it. */
export type Syntax = 'yaml' | 'json';

/** A place in a text, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A file that forms can show: its value, and where each part of it stands in the text. */
export interface ReadableDocument {
  readonly isReadable: true;
  readonly value: unknown;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** A text that cannot be parsed: the error and its position. */
export interface UnreadableDocument {
  readonly isReadable: false;
  readonly message: string;
  readonly position: Position;
}

/** The syntax of a file by its name; undefined where only its text can be edited. */
export function syntaxOf(path: string): Syntax | undefined {
  if (/\.ya?ml$/i.test(path)) return 'yaml';
  return /\.jsonc?$/i.test(path) ? 'json' : undefined;
}

/** Reads a text as a form needs it. JSON is read as the YAML that it is, with its comments out of sight. */
export function readDocument(text: string, syntax: Syntax): ReadableDocument | UnreadableDocument {
  const lines = new LineCounter();
  const source = syntax === 'json' ? maskJsonComments(text) : text;
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) return unreadable(error.message, lines, error.pos[0]);
  try {
    return { isReadable: true, value: document.toJS({ maxAliasCount: 100 }), document, lines };
  } catch (error) {
    return unreadable(error instanceof Error ? error.message : String(error), lines, 0);
  }
}

function unreadable(message: string, lines: LineCounter, offset: number): UnreadableDocument {
  const { line, col } = lines.linePos(offset);
  return { isReadable: false, message, position: { line: Math.max(line, 1), column: Math.max(col, 1) } };
}

/** The path of the innermost value at a position of the text. */
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
