import { Document, isMap, isScalar, type Pair, type YAMLMap } from 'yaml';
import type { ReadableDocument } from './read-document.ts';
import type { ResolvedChange } from './resolve-change.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

const defaultIndent = 2;

/** Inserts, replaces or removes one key of a map that is written line by line; all other lines stay as they were typed. */
export function editPair(text: string, { document }: ReadableDocument, change: ResolvedChange): string | undefined {
  const { container, containerPath, step } = change;
  if (!isBlockMap(container) || container.items.length === 0) return undefined;
  if (step.kind !== 'put' && step.kind !== 'remove') return undefined;
  const pair = pairOf(container, step.key);
  if (step.kind === 'remove') {
    if (!pair) return undefined;
    return container.items.length > 1 ? removePair(text, pair) : emptyMap(text, document, change);
  }
  // Where a new key of the file belongs depends on the order of its keys.
  if (!pair) return containerPath.length === 0 ? undefined : insertPair(text, container, String(step.key), step.value);
  const span = spanOf(pair);
  const indent = indentIn(text, pair);
  container.set(step.key, document.createNode(step.value));
  const changed = pairOf(container, step.key);
  return span && changed && replacePair(text, span, changed, indent);
}

function isBlockMap(node: unknown): node is YAMLMap {
  return isMap(node) && node.flow !== true;
}

function pairOf({ items }: YAMLMap, key: string | number): Pair | undefined {
  return items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key));
}

/** From the key to the end of the value, without the comments behind it. */
function spanOf({ key, value }: Pair): Span | undefined {
  const keyRange = isScalar(key) ? key.range : undefined;
  const valueRange = (value as { range?: readonly number[] } | null)?.range;
  return keyRange ? { start: keyRange[0], end: valueRange?.[1] ?? keyRange[1] } : undefined;
}

function replacePair(text: string, { start, end }: Span, pair: Pair, indent: number): string | undefined {
  const indentation = lineBefore(text, start);
  if (!/^ *$/.test(indentation)) return undefined;
  const lineEnd = text.slice(start, end).endsWith('\n') ? '\n' : '';
  const written = withLineEnds(text, `${pairText(pair, indentation, indent)}${lineEnd}`);
  return `${text.slice(0, start)}${written}${text.slice(end)}`;
}

function insertPair(text: string, map: YAMLMap, key: string, value: unknown): string | undefined {
  const [first] = map.items;
  const last = map.items.at(-1);
  const begin = first && spanOf(first)?.start;
  const end = last && spanOf(last)?.end;
  if (last === undefined || begin === undefined || end === undefined) return undefined;
  const indentation = lineBefore(text, begin);
  if (!/^ *$/.test(indentation)) return undefined;
  const at = nextLine(text, end);
  const newline = text[at - 1] === '\n' ? '' : '\n';
  const written = new Document({ [key]: value }).toString({ lineWidth: 0, indent: indentIn(text, last) });
  const lines = `${newline}${indentation}${indented(written, indentation)}\n`;
  return `${text.slice(0, at)}${withLineEnds(text, lines)}${text.slice(at)}`;
}

function removePair(text: string, pair: Pair): string | undefined {
  const span = spanOf(pair);
  if (!span) return undefined;
  const start = text.lastIndexOf('\n', span.start - 1) + 1;
  return `${text.slice(0, start)}${text.slice(nextLine(text, span.end))}`;
}

/** Removes the last key of a map: `{}` is left of it. */
function emptyMap(text: string, document: Document.Parsed, change: ResolvedChange): string | undefined {
  const { container, containerPath, step } = change;
  const key = containerPath.at(-1);
  const parent = containerPath.length === 1 ? document.contents : document.getIn(containerPath.slice(0, -1), true);
  const holder = isBlockMap(parent) && key !== undefined ? pairOf(parent, key) : undefined;
  const span = holder && spanOf(holder);
  if (!holder || !span || step.kind !== 'remove') return undefined;
  container.delete(step.key);
  container.flow = true;
  return replacePair(text, span, holder, defaultIndent);
}

/** A pair as text without the comments around it, which stay where they are in the file. */
function pairText({ key, value }: Pair, indentation: string, indent: number): string {
  const document = new Document({});
  Object.assign(key as object, { commentBefore: undefined, spaceBefore: undefined });
  if (typeof value === 'object' && value !== null) Object.assign(value, { comment: undefined });
  (document.contents as unknown as YAMLMap).set(key, value);
  return indented(document.toString({ lineWidth: 0, verifyAliasOrder: false, indent }), indentation);
}

function indented(text: string, indentation: string): string {
  return text.replace(/\n$/, '').replace(/\n(?=[^\n])/g, `\n${indentation}`);
}

/** By how much the keys inside of a pair are indented in the file. */
function indentIn(text: string, pair: Pair): number {
  const [first] = isBlockMap(pair.value) ? pair.value.items : [];
  const outer = spanOf(pair)?.start;
  const inner = first && spanOf(first)?.start;
  if (outer === undefined || inner === undefined) return defaultIndent;
  const indent = lineBefore(text, inner).length - lineBefore(text, outer).length;
  return indent >= 1 && indent <= 8 ? indent : defaultIndent;
}

function lineBefore(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
}

function nextLine(text: string, offset: number): number {
  if (text[offset - 1] === '\n') return offset;
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

function withLineEnds(text: string, lines: string): string {
  return text.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines;
}
