import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Pair,
  type ToStringOptions,
  YAMLMap,
  type YAMLSeq,
  Document as YamlDocument,
} from 'yaml';
import { moved } from './document-change.ts';
import type { ReadableDocument } from './read-document.ts';
import type { ResolvedChange } from './resolve-change.ts';

/** Edits the document and rewrites only the outermost key that changed; the rest stays as it was typed. */
export function editBlock(
  text: string,
  read: ReadableDocument,
  change: ResolvedChange,
  keyOrder: readonly string[],
): string | undefined {
  const root = read.document.contents;
  const key = outermostKey(change);
  if (!isMap(root) || root.flow === true || typeof key !== 'string') return undefined;
  const old = pairOf(root, key);
  const region = old === undefined ? insertionAt(text, root, key, keyOrder) : regionOf(old);
  const options = writtenLike(text, old);
  applyStep(read.document, change);
  const pair = pairOf(root, key);
  const written = pair === undefined ? '' : pairText(pair, options);
  if (region === undefined || written === undefined) return undefined;
  const isOpen = region.start > 0 && old === undefined && text[region.start - 1] !== '\n';
  const isLineLeft = old !== undefined && region.end < text.length && text[region.end - 1] !== '\n';
  const lines = `${isOpen ? '\n' : ''}${isLineLeft ? written.trimEnd() : written}`;
  const ending = text.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines;
  return text.slice(0, region.start) + ending + text.slice(region.end);
}

/** Edits the document and writes all of it; comments and order stay, white space may not. */
export function editWhole(text: string, read: ReadableDocument, change: ResolvedChange): string {
  applyStep(read.document, change);
  return read.document.toString(writtenLike(text, undefined));
}

function outermostKey({ containerPath, step }: ResolvedChange): string | number | undefined {
  const [outer] = containerPath;
  if (outer !== undefined) return outer;
  return step.kind === 'put' || step.kind === 'remove' ? step.key : undefined;
}

function applyStep(document: Document.Parsed, { container, step }: ResolvedChange): void {
  switch (step.kind) {
    case 'put':
      if (isScalar(step.old) && !isStructured(step.value)) step.old.value = step.value;
      else container.set(step.key, document.createNode(step.value));
      return;
    case 'remove':
      container.delete(step.key);
      if (container.items.length === 0) container.flow = true;
      return;
    case 'insert': {
      const list = container as YAMLSeq;
      if (list.items.length === 0) list.flow = false;
      list.items.splice(step.index, 0, document.createNode(step.value));
      return;
    }
    case 'move': {
      const list = container as YAMLSeq;
      list.items = moved(list.items, step.from, step.to);
    }
  }
}

function pairOf(root: YAMLMap, key: string): Pair | undefined {
  return root.items.find((item) => (isScalar(item.key) ? item.key.value : item.key) === key);
}

function regionOf({ key, value }: Pair): { start: number; end: number } | undefined {
  const start = isNode(key) ? key.range?.[0] : undefined;
  const end = isNode(value) ? value.range?.[2] : undefined;
  return start === undefined || end === undefined ? undefined : { start, end };
}

function insertionAt(text: string, root: YAMLMap, key: string, keyOrder: readonly string[]) {
  const earlier = keyOrder.slice(0, Math.max(keyOrder.indexOf(key), 0));
  const before = root.items.findLast((item) => isScalar(item.key) && earlier.includes(String(item.key.value)));
  const end = before === undefined ? text.length : (regionOf(before)?.end ?? text.length);
  return { start: end, end };
}

function pairText(pair: Pair, options: ToStringOptions): string | undefined {
  const document = new YamlDocument();
  const map = new YAMLMap();
  const key = isScalar(pair.key) ? document.createNode(pair.key.value) : pair.key;
  map.items.push(new Pair(key, pair.value));
  document.contents = map;
  try {
    return document.toString(options);
  } catch {
    // An alias of an anchor that stands elsewhere in the file: the whole file has to be written.
    return undefined;
  }
}

function writtenLike(text: string, pair: Pair | undefined): ToStringOptions {
  const isDedented =
    pair === undefined ? /^[^\s#-].*:\s*\n- /m.test(text) : isSeq(pair.value) && isAtLineStart(text, pair);
  return { lineWidth: 0, indentSeq: !isDedented };
}

function isAtLineStart(text: string, { value }: Pair): boolean {
  const start = isNode(value) ? (value.range?.[0] ?? 1) : 1;
  return text[start] === '-' && text[start - 1] === '\n';
}

function isStructured(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
