import { isCollection, isMap, isNode, isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml';
import type { DocumentChange, Path } from './document-change.ts';
import type { ReadableDocument } from './read-document.ts';

/** A change as it concerns the innermost map or list that is there already. */
export interface ResolvedChange {
  readonly container: YAMLMap | YAMLSeq;
  readonly containerPath: Path;
  readonly isInFlow: boolean;
  readonly step:
    | { readonly kind: 'put'; readonly key: string | number; readonly value: unknown; readonly old: Node | undefined }
    | { readonly kind: 'insert'; readonly index: number; readonly value: unknown }
    | { readonly kind: 'remove'; readonly key: string | number }
    | { readonly kind: 'move'; readonly from: number; readonly to: number };
}

/** Finds where a change takes place; undefined where the document has no map or list to hold it. */
export function resolveChange(read: ReadableDocument, change: DocumentChange): ResolvedChange | undefined {
  if (change.kind === 'move' || change.kind === 'insert') {
    const list = placeOf(read, change.path, 0);
    const isThere = list.rest.length === 0 && list.container !== undefined;
    if (!isThere) return change.kind === 'insert' ? resolveSet(read, change.path, [change.value]) : undefined;
    const { container, isInFlow } = list;
    return container && { container, containerPath: change.path, isInFlow, step: change };
  }
  if (change.kind === 'set') return resolveSet(read, change.path, change.value);
  const key = change.path.at(-1);
  const parent = placeOf(read, change.path.slice(0, -1), key);
  if (key === undefined || parent.container === undefined || parent.rest.length > 0) return undefined;
  const { container, isInFlow } = parent;
  return { container, containerPath: change.path.slice(0, -1), isInFlow, step: { kind: 'remove', key } };
}

function resolveSet(read: ReadableDocument, path: Path, value: unknown): ResolvedChange | undefined {
  const { container, containerPath, isInFlow, rest } = placeOf(read, path.slice(0, -1), path.at(-1));
  const [key, ...inner] = [...rest, ...path.slice(-1)];
  if (container === undefined || key === undefined) return undefined;
  const old = container.get(key, true);
  const step = { kind: 'put' as const, key, value: wrapped(inner, value), old: isNode(old) ? old : undefined };
  return { container, containerPath, isInFlow, step };
}

/** The innermost map or list on the way, which holds keys of the kind that comes next; `next` is the key after the path. */
function placeOf(read: ReadableDocument, path: Path, next?: string | number) {
  const root: unknown = read.document.contents;
  let container = isFitting(root, path[0] ?? next) ? root : undefined;
  let isInFlow = container?.flow === true;
  let depth = 0;
  for (const key of path) {
    const node = container?.get(key, true);
    if (!isFitting(node, path[depth + 1] ?? next)) break;
    container = node;
    isInFlow ||= container.flow === true;
    depth++;
  }
  return { container, containerPath: path.slice(0, depth), isInFlow, rest: path.slice(depth) };
}

function isFitting(node: unknown, key: string | number | undefined): node is YAMLMap | YAMLSeq {
  if (key === undefined) return isCollection(node);
  return typeof key === 'number' ? isSeq(node) : isMap(node);
}

function wrapped(path: Path, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => (typeof key === 'number' ? [inner] : { [key]: inner }), value);
}
