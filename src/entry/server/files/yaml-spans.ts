import { Document, isMap, isScalar, type Pair, type YAMLMap } from 'yaml';

/** A stretch of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** From the key to the end of the value; comments behind it are no part of it. */
export function spanOf({ key, value }: Pair): Span | undefined {
  const keyRange = isScalar(key) ? key.range : undefined;
  const valueRange = (value as { range?: readonly number[] } | null)?.range;
  return keyRange ? { start: keyRange[0], end: valueRange?.[1] ?? keyRange[1] } : undefined;
}

/** Whether a node is a mapping that is written line by line. */
export function isBlockMap(node: unknown): node is YAMLMap {
  return isMap(node) && node.flow !== true;
}

/** What stands before something on its line. */
export function before(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
}

/** How far values are moved in where a file says nothing else. */
export const usualStep = 2;

/** How far the values inside of a pair are moved in. */
export function stepIn(text: string, pair: Pair): number {
  const [first] = isBlockMap(pair.value) ? pair.value.items : [];
  const outer = spanOf(pair)?.start;
  const inner = first && spanOf(first)?.start;
  if (outer === undefined || inner === undefined) return usualStep;
  const step = before(text, inner).length - before(text, outer).length;
  return step >= 1 && step <= 8 ? step : usualStep;
}

/** Where the next line begins. */
export function lineEndAfter(text: string, offset: number): number {
  if (text[offset - 1] === '\n') return offset;
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

/** A new pair as text. */
export function renderedNew(name: string, value: unknown, indentation: string, indent = usualStep): string {
  return indented(new Document({ [name]: value }).toString({ lineWidth: 0, indent }), indentation);
}

/** A pair as text without the comments around it, which stay where they are. */
export function rendered({ key, value }: Pair, indentation: string, indent: number): string {
  const document = new Document({});
  Object.assign(key as object, { commentBefore: undefined, spaceBefore: undefined });
  if (typeof value === 'object' && value !== null) Object.assign(value, { comment: undefined });
  (document.contents as unknown as YAMLMap).set(key, value);
  return indented(document.toString({ lineWidth: 0, verifyAliasOrder: false, indent }), indentation);
}

function indented(text: string, indentation: string): string {
  return text.replace(/\n$/, '').replace(/\n(?=[^\n])/g, `\n${indentation}`);
}
