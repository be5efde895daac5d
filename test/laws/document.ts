import { changed, type Path, pathsOf } from '../../src/testing/support/mutations.ts';

/** A text that a reader gets: lines of JSON, one JSON document, or lines of something else. */
export type Document = JsonLines | OneJson | PlainLines;

interface JsonLines {
  readonly kind: 'json-lines';
  readonly lines: readonly string[];
}

interface OneJson {
  readonly kind: 'json';
  readonly value: unknown;
}

interface PlainLines {
  readonly kind: 'lines';
  readonly lines: readonly string[];
}

export function documentOf(text: string): Document {
  const whole = parsed(text);
  const lines = text.replace(/\n$/, '').split('\n');
  if (lines.length > 1 && lines.every((line) => line.trim() === '' || parsed(line) !== undefined))
    return { kind: 'json-lines', lines };
  if (whole !== undefined)
    return lines.length === 1 && isLine(whole) ? { kind: 'json-lines', lines } : { kind: 'json', value: whole };
  return { kind: 'lines', lines };
}

/** A document of one line can still be a stream that has one line so far. */
function isLine(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

export function textOf(document: Document): string {
  return document.kind === 'json' ? JSON.stringify(document.value) : `${document.lines.join('\n')}\n`;
}

/** A value inside of a document: the line that it is in, and the path there. */
export interface Spot {
  readonly line: number | undefined;
  readonly path: Path;
  /** The path without indexes, such as `message.content.type`; an attribute of a list is named: `attributes[error.type]`. */
  readonly key: string;
  readonly value: unknown;
  /** How many values the list or record around it has. */
  readonly siblings: number;
}

/** Every value inside of the JSON of a document. */
export function spotsOf(document: Document): Spot[] {
  if (document.kind === 'json') return spotsIn(document.value, undefined);
  if (document.kind === 'lines') return [];
  return document.lines.flatMap((line, index) => spotsIn(parsed(line), index));
}

function spotsIn(root: unknown, line: number | undefined): Spot[] {
  return pathsOf(root).map((path) => {
    const parent = valueAt(root, path.slice(0, -1));
    return {
      line,
      path,
      key: keyOf(root, path),
      value: valueAt(root, path),
      siblings: Object.keys(parent as object).length,
    };
  });
}

function keyOf(root: unknown, path: Path): string {
  let at = root;
  const steps = path.map((step) => {
    at = (at as Record<string | number, unknown>)[step];
    if (typeof step === 'string') return `.${step}`;
    const { key } = (at ?? {}) as { readonly key?: unknown };
    return typeof key === 'string' ? `[${key}]` : '';
  });
  return steps.join('').replace(/^\./, '');
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], root);
}

/** The text of a document in which the list or object around a spot is another one. */
export function withParent(document: Document, { line, path }: Spot, edit: (parent: unknown) => unknown): string {
  const above = path.slice(0, -1);
  const edited = (root: unknown): unknown => changed(root, above, edit(valueAt(root, above)));
  if (document.kind === 'json') return textOf({ ...document, value: edited(document.value) });
  return withLines(document, (lines) =>
    lines.map((text, index) => (index === line ? JSON.stringify(edited(JSON.parse(text))) : text)),
  );
}

/** The text of a document with other lines. */
export function withLines(document: Document, edit: (lines: readonly string[]) => readonly string[]): string {
  return document.kind === 'json' ? textOf(document) : textOf({ ...document, lines: edit(document.lines) });
}

/** Where something was done: `line 3`, `line 3: message.content[0]`. */
export function placeText({ line, path }: Pick<Spot, 'line' | 'path'>): string {
  const inside = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return line === undefined ? inside : `line ${line + 1}: ${inside}`;
}
