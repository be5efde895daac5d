import { type Document, isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import type { DataChange } from './data-changes.ts';
import {
  before,
  isBlockMap,
  lineEndAfter,
  rendered,
  renderedNew,
  type Span,
  spanOf,
  stepIn,
  usualStep,
} from './yaml-spans.ts';

/** A named part of a section that is to be changed. */
export interface PartEdit {
  readonly section: string;
  readonly name: string;
  /** Undefined takes the part away. */
  readonly value: unknown;
  /** The same as small changes, with paths from the root. */
  readonly changes: readonly DataChange[];
}

/**
 * Ways to make an edit in a text, from the one that touches least to the one that writes all of it anew. Whether the
 * outcome says what it should is for the caller to check: anchors and merge keys can get in the way of the first.
 */
export const yamlEdits: readonly ((text: string, edit: PartEdit) => string | undefined)[] = [
  (text, edit) => editPart(text, edit, changeLeaves),
  (text, edit) => editPart(text, edit, changeLeavesAnew),
  (text, edit) => editPart(text, edit, changeWhole),
  (text, edit) => editDocument(text, edit),
];

type Change = (document: Document, edit: PartEdit) => void;

const changeLeaves: Change = (document, { changes }) => {
  for (const { path, value } of changes) {
    if (value === undefined) document.deleteIn(path);
    // A plain value takes over the comment and the quotes of the one before.
    else document.setIn(path, typeof value === 'object' ? document.createNode(value) : value);
  }
};

/** The same for texts that cannot be written in the manner of the ones before. */
const changeLeavesAnew: Change = (document, edit) => {
  changeLeaves(document, edit);
  for (const { path } of edit.changes) {
    const node = document.getIn(path, true);
    if (isScalar(node)) Object.assign(node, { type: undefined });
  }
};

const changeWhole: Change = (document, { section, name, value }) => {
  document.setIn([section, name], document.createNode(value));
};

function editPart(text: string, edit: PartEdit, change: Change): string | undefined {
  const document = parseDocument(text, { merge: true });
  const root = document.contents;
  if (root === null) return withAppended(text, edit);
  if (!isBlockMap(root)) return undefined;
  const section = pairOf(root, edit.section);
  if (!section) return withAppended(text, edit);
  const parts = section.value;
  if (!isBlockMap(parts) || parts.items.length === 0) return editSection(text, document, section, edit);
  const part = pairOf(parts, edit.name);
  if (!part) return edit.value === undefined ? text : withInserted(text, parts, edit);
  if (edit.value === undefined)
    return parts.items.length > 1 ? without(text, part) : editSection(text, document, section, edit);
  const span = spanOf(part);
  const step = stepIn(text, part);
  change(document, edit);
  const changed = pairOf(parts, edit.name);
  return span && changed && replaced(text, span, changed, step);
}

function editSection(text: string, document: Document, pair: Pair, edit: PartEdit): string | undefined {
  const span = spanOf(pair);
  const { section, name, value } = edit;
  if (value === undefined) document.deleteIn([section, name]);
  else if (isMap(pair.value)) document.setIn([section, name], document.createNode(value));
  else pair.value = document.createNode({ [name]: value });
  return span && replaced(text, span, pair, usualStep);
}

function editDocument(text: string, { section, name, value }: PartEdit): string {
  const document = parseDocument(text, { merge: true });
  if (value === undefined) document.deleteIn([section, name]);
  else document.setIn([section, name], document.createNode(value));
  return document.toString({ lineWidth: 0 });
}

function pairOf({ items }: YAMLMap, key: string): Pair | undefined {
  return items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key);
}

function replaced(text: string, { start, end }: Span, pair: Pair, step: number): string | undefined {
  const indentation = before(text, start);
  if (!/^ *$/.test(indentation)) return undefined;
  const lineEnd = text.slice(start, end).endsWith('\n') ? '\n' : '';
  return `${text.slice(0, start)}${rendered(pair, indentation, step)}${lineEnd}${text.slice(end)}`;
}

function withInserted(text: string, parts: YAMLMap, { name, value }: PartEdit): string | undefined {
  const [first] = parts.items;
  const last = parts.items.at(-1);
  const begin = first && spanOf(first)?.start;
  const end = last && spanOf(last)?.end;
  if (last === undefined || begin === undefined || end === undefined) return undefined;
  const indentation = before(text, begin);
  const step = stepIn(text, last);
  if (!/^ *$/.test(indentation)) return undefined;
  const at = lineEndAfter(text, end);
  const newline = text[at - 1] === '\n' ? '' : '\n';
  return `${text.slice(0, at)}${newline}${indentation}${renderedNew(name, value, indentation, step)}\n${text.slice(at)}`;
}

function withAppended(text: string, { section, name, value }: PartEdit): string {
  if (value === undefined) return text;
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  return `${text}${gap}${renderedNew(section, { [name]: value }, '')}\n`;
}

function without(text: string, part: Pair): string | undefined {
  const span = spanOf(part);
  if (!span) return undefined;
  const start = text.lastIndexOf('\n', span.start - 1) + 1;
  return `${text.slice(0, start)}${text.slice(lineEndAfter(text, span.end))}`;
}
