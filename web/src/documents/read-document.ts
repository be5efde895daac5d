import { type Document, LineCounter, parseDocument } from 'yaml';
import { maskJsonComments } from './mask-json-comments.ts';

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

/** A text that is no document yet: what is wrong, and where. */
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
